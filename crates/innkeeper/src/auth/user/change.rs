//! The commands of `innkeeper auth user` that change something.

use clap::{ArgGroup, Args};
use innkeeper_auth::{AccountChange, AccountSelector, Ban, NewAccount};
use innkeeper_service::clock::Clock;
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

use super::{UserSelector, print_user};
use crate::auth::password_input::password_of;
use crate::duration;
use crate::settings_source::SettingsSource;
use crate::{output, task};

/// A hundred years, for a ban without an end.
const FOREVER: SignedDuration = SignedDuration::from_hours(876_000);

#[derive(Debug, Args)]
pub(super) struct Create {
    /// The email address
    #[arg(required_unless_present = "phone")]
    email: Option<String>,
    /// The password; `-` reads it from standard input
    password: Option<String>,
    /// The phone number
    #[arg(long)]
    phone: Option<String>,
    /// The role
    #[arg(long)]
    role: Option<String>,
    /// The audience
    #[arg(short, long)]
    aud: Option<String>,
    /// Mark address and number as confirmed
    #[arg(long)]
    confirm: bool,
    /// Give the user access to the admin endpoints
    #[arg(long)]
    admin: bool,
    /// Metadata that the user can change
    #[arg(long, value_name = "JSON", value_parser = object)]
    user_metadata: Option<Map<String, Value>>,
    /// Metadata that only operators can change
    #[arg(long, value_name = "JSON", value_parser = object)]
    app_metadata: Option<Map<String, Value>>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("change").required(true).multiple(true).args([
    "email", "phone", "role", "to_aud", "confirm_email", "confirm_phone", "user_metadata", "app_metadata",
]))]
pub(super) struct Update {
    #[command(flatten)]
    user: UserSelector,
    /// The new email address
    #[arg(long)]
    email: Option<String>,
    /// The new phone number
    #[arg(long)]
    phone: Option<String>,
    /// The new role
    #[arg(long)]
    role: Option<String>,
    /// The new audience
    #[arg(long, value_name = "AUD")]
    to_aud: Option<String>,
    /// Mark the email address as confirmed
    #[arg(long)]
    confirm_email: bool,
    /// Mark the phone number as confirmed
    #[arg(long)]
    confirm_phone: bool,
    /// Merge into the user's metadata; null removes
    #[arg(long, value_name = "JSON", value_parser = object)]
    user_metadata: Option<Map<String, Value>>,
    /// Merge into the operators' metadata
    #[arg(long, value_name = "JSON", value_parser = object)]
    app_metadata: Option<Map<String, Value>>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct BanArguments {
    #[command(flatten)]
    user: UserSelector,
    /// How long, such as 24h or 90d [default: 100 years]
    #[arg(long = "for", value_name = "DURATION", value_parser = duration::parse)]
    length: Option<SignedDuration>,
    /// Let the user sign in again
    #[arg(long, conflicts_with = "length")]
    lift: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Delete {
    #[command(flatten)]
    user: UserSelector,
    /// Keep the row, without all that identifies the user
    #[arg(long)]
    soft: bool,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SetPassword {
    #[command(flatten)]
    user: UserSelector,
    /// The password; `-` reads it from standard input
    password: String,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Parses a JSON object.
fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text)
        .map_err(|_| "must be a JSON object such as {\"name\":\"Ada\"}".into())
}

pub(super) fn create(source: &SettingsSource, arguments: Create) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let account = NewAccount {
        email: arguments.email,
        phone: arguments.phone,
        password: arguments.password.map(password_of).transpose()?,
        role: arguments.role,
        aud: arguments.aud,
        confirm: arguments.confirm,
        admin: arguments.admin,
        user_metadata: arguments.user_metadata,
        app_metadata: arguments.app_metadata,
    };
    let clock = Clock::system();
    let user = task::run(innkeeper_auth::create_user(&config, &clock, &account))?;
    print_user(&user, arguments.json)
}

pub(super) fn update(source: &SettingsSource, arguments: Update) -> anyhow::Result<()> {
    let change = AccountChange {
        email: arguments.email,
        phone: arguments.phone,
        role: arguments.role,
        aud: arguments.to_aud,
        confirm_email: arguments.confirm_email,
        confirm_phone: arguments.confirm_phone,
        user_metadata: arguments.user_metadata,
        app_metadata: arguments.app_metadata,
        ..AccountChange::default()
    };
    let user = apply(source, arguments.user.selector(), change)?;
    print_user(&user, arguments.json)
}

pub(super) fn ban(source: &SettingsSource, arguments: &BanArguments) -> anyhow::Result<()> {
    let ban = if arguments.lift {
        Ban::Lift
    } else {
        Ban::For(arguments.length.unwrap_or(FOREVER))
    };
    let change = AccountChange {
        ban: Some(ban),
        ..AccountChange::default()
    };
    let user = apply(source, arguments.user.selector(), change)?;
    if arguments.json {
        return output::print_json(&user);
    }
    let name = arguments.user.shown();
    let until = user.get("banned_until").and_then(Value::as_str);
    output::print(&match until.map(output::short_time) {
        Some(until) if ban != Ban::Lift => format!("{name} cannot sign in until {until}.\n"),
        _ => format!("{name} can sign in again.\n"),
    })
}

pub(super) fn delete(source: &SettingsSource, arguments: &Delete) -> anyhow::Result<()> {
    let config = source.auth_config()?;
    let (clock, selector) = (Clock::system(), arguments.user.selector());
    let deleted = innkeeper_auth::delete_user(&config, &clock, selector, arguments.soft);
    let id = task::run(deleted)?;
    if arguments.json {
        return output::print_json(&json!({ "id": id, "soft": arguments.soft }));
    }
    output::print(&format!("Deleted user {id}.\n"))
}

pub(super) fn set_password(source: &SettingsSource, arguments: SetPassword) -> anyhow::Result<()> {
    let change = AccountChange {
        password: Some(password_of(arguments.password)?),
        ..AccountChange::default()
    };
    let user = apply(source, arguments.user.selector(), change)?;
    if arguments.json {
        return output::print_json(&user);
    }
    let name = arguments.user.shown();
    output::print(&format!(
        "The password of {name} is set, and all sessions are ended.\n"
    ))
}

fn apply(
    source: &SettingsSource,
    selector: AccountSelector<'_>,
    change: AccountChange,
) -> anyhow::Result<Value> {
    let config = source.auth_config()?;
    let clock = Clock::system();
    task::run(innkeeper_auth::update_user(
        &config, &clock, selector, change,
    ))
}
