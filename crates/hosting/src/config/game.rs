//! `GAME_*`: the addresses and ports of game servers.

use innkeeper_service::settings::{Kind, Reader, Setting};

use crate::model::PortRange;

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "GAME_ADDRESS",
        Kind::Text,
        "The name or address that players connect to, for game servers without an address of their own.",
    ),
    Setting::new(
        "GAME_PORTS",
        Kind::Other("two ports such as `30000-30999`"),
        "The ports of this host that `innkeeper hosting game add` chooses from, if it is not told which.",
    ),
];

/// `GAME_*` settings.
#[derive(Debug, Clone)]
pub struct GameConfig {
    /// `GAME_ADDRESS`: what players connect to.
    pub address: Option<String>,
    /// `GAME_PORTS`: the ports that game servers get.
    pub ports: Option<PortRange>,
}

impl GameConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let address: Option<String> = reader.optional("GAME_ADDRESS");
        let is_name = |text: &String| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
            text.len() <= 253 && text.bytes().all(allowed)
        };
        if address.as_ref().is_some_and(|text| !is_name(text)) {
            reader.fault("GAME_ADDRESS", "expected a host name or an IP address");
        }
        Self {
            address,
            ports: reader.parsed("GAME_PORTS", |text, _| {
                text.parse::<PortRange>().map_err(|error| error.to_string())
            }),
        }
    }
}
