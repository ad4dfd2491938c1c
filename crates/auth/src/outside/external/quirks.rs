//! What providers say about users in ways that a place in their answer does not tell.

use serde_json::Value;

use super::profile::UserProfile;

/// Returns a text at a place of an answer; empty if there is none.
pub(super) fn text_at<'a>(answer: Option<&'a Value>, place: &str) -> &'a str {
    let found = answer.and_then(|answer| answer.pointer(place));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// Returns a list at a place of an answer; empty if there is none.
fn list_at<'a>(answer: Option<&'a Value>, place: &str) -> &'a [Value] {
    let found = answer.and_then(|answer| answer.pointer(place));
    found.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn flag_at(value: &Value, place: &str) -> bool {
    value.pointer(place) == Some(&Value::Bool(true))
}

/// Sets the name of a user who has a first and a last one.
pub(super) fn set_full_name(profile: &mut UserProfile, first: &str, last: &str) {
    profile.set_text(&["name", "full_name"], &format!("{first} {last}"));
}

pub(super) fn bitbucket_emails(answers: &[Value], profile: &mut UserProfile) {
    for email in list_at(answers.get(1), "/values") {
        profile.add_email(
            text_at(Some(email), "/email"),
            flag_at(email, "/is_confirmed"),
            flag_at(email, "/is_primary"),
        );
    }
}

pub(super) fn github_emails(answers: &[Value], profile: &mut UserProfile) {
    for email in list_at(answers.get(1), "") {
        profile.add_email(
            text_at(Some(email), "/email"),
            flag_at(email, "/verified"),
            flag_at(email, "/primary"),
        );
    }
}

/// The primary address is verified once the account is confirmed; GitLab does not tell about the others.
pub(super) fn gitlab_emails(answers: &[Value], profile: &mut UserProfile) {
    for email in list_at(answers.get(1), "") {
        profile.add_email(text_at(Some(email), "/email"), false, false);
    }
    let primary = text_at(answers.first(), "/email");
    let is_confirmed = !text_at(answers.first(), "/confirmed_at").is_empty();
    profile.emails.retain(|email| email.address != primary);
    profile.add_email(primary, is_confirmed, true);
}

pub(super) fn discord_name_and_avatar(answers: &[Value], profile: &mut UserProfile) {
    let user = answers.first();
    let [name, discriminator, avatar] =
        ["/username", "/discriminator", "/avatar"].map(|place| text_at(user, place));
    if !name.is_empty() {
        profile.set_text(&["name"], &format!("{name}#{discriminator}"));
    }
    let picture = if avatar.is_empty() {
        let number: u64 = discriminator.parse().unwrap_or_default();
        format!(
            "https://cdn.discordapp.com/embed/avatars/{}.png",
            number % 5
        )
    } else {
        let kind = if avatar.starts_with("a_") {
            "gif"
        } else {
            "png"
        };
        let id = &profile.subject;
        format!("https://cdn.discordapp.com/avatars/{id}/{avatar}.{kind}")
    };
    profile.set_text(&["picture", "avatar_url"], &picture);
}

pub(super) fn kakao_email(answers: &[Value], profile: &mut UserProfile) {
    let account = answers
        .first()
        .and_then(|answer| answer.get("kakao_account"));
    let is_verified = account.is_some_and(|account| {
        flag_at(account, "/is_email_valid") && flag_at(account, "/is_email_verified")
    });
    profile.add_email(text_at(account, "/email"), is_verified, true);
}

pub(super) fn spotify_picture(answers: &[Value], profile: &mut UserProfile) {
    let size = |image: &&Value| {
        let side = |name| image.get(name).and_then(Value::as_u64).unwrap_or_default();
        side("height").saturating_mul(side("width"))
    };
    let largest = list_at(answers.first(), "/images").iter().max_by_key(size);
    profile.set_text(&["picture", "avatar_url"], text_at(largest, "/url"));
}

/// One person may have an id in each of several installations; the global one is preferred.
pub(super) fn vercel_subject(answers: &[Value], profile: &mut UserProfile) {
    let global = text_at(answers.first(), "/global_user_id");
    if !global.is_empty() {
        profile.subject = format!("global_user_id:{global}");
    }
}

pub(super) fn workos_name(answers: &[Value], profile: &mut UserProfile) {
    let [first, last] =
        ["/profile/first_name", "/profile/last_name"].map(|place| text_at(answers.first(), place));
    set_full_name(profile, first, last);
}

/// Zoom verifies every address but those of users who sign in with a password and never confirmed it.
pub(super) fn zoom_name_and_email(answers: &[Value], profile: &mut UserProfile) {
    let user = answers.first();
    let [first, last] = ["/first_name", "/last_name"].map(|place| text_at(user, place));
    set_full_name(profile, first, last);
    let at = |place: &str| user.and_then(|user| user.pointer(place));
    let by_password = match at("/login_type") {
        Some(Value::String(text)) => text == "100",
        Some(Value::Number(number)) => number.as_i64() == Some(100),
        _ => false,
    };
    let is_confirmed = at("/verified").and_then(Value::as_i64).unwrap_or_default() != 0;
    profile.add_email(text_at(user, "/email"), !by_password || is_confirmed, true);
}
