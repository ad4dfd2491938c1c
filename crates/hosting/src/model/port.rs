//! Ports of the host that lead to machines, as operators write them.

use std::fmt;
use std::str::FromStr;

use super::machine::{MachinePort, Protocol};

/// A range of ports, such as `30000-30999`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    first: u16,
    last: u16,
}

/// The error for a text that is not a range of ports.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected two ports such as 30000-30999, the lower one first")]
pub struct InvalidPortRange;

/// The error for a text that is not a port mapping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected HOST:MACHINE/PROTOCOL, such as 25565:25565/tcp")]
pub struct InvalidPortMapping;

/// A port of the host and the port of the machine that it leads to, as an operator writes them:
/// `25565:25565/tcp`. Without a protocol it is TCP, and `25565` alone is both ports.
///
/// ```
/// use innkeeper_hosting::model::PortMapping;
///
/// let port: PortMapping = "30001:25565/udp".parse().unwrap();
/// assert_eq!(port.to_string(), "30001:25565/udp");
/// assert_eq!("22".parse::<PortMapping>().unwrap().to_string(), "22:22/tcp");
/// assert!("0:22".parse::<PortMapping>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortMapping(pub MachinePort);

impl PortRange {
    /// Returns the lowest port.
    pub fn first(self) -> u16 {
        self.first
    }

    /// Returns the highest port.
    pub fn last(self) -> u16 {
        self.last
    }

    /// Returns the ports of the range.
    pub fn ports(self) -> impl Iterator<Item = u16> {
        self.first..=self.last
    }
}

impl FromStr for PortRange {
    type Err = InvalidPortRange;

    fn from_str(text: &str) -> Result<Self, InvalidPortRange> {
        let (first, last) = text.split_once('-').ok_or(InvalidPortRange)?;
        let first = port(first.trim()).ok_or(InvalidPortRange)?;
        let last = port(last.trim()).ok_or(InvalidPortRange)?;
        if first > last {
            return Err(InvalidPortRange);
        }
        Ok(Self { first, last })
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl FromStr for PortMapping {
    type Err = InvalidPortMapping;

    fn from_str(text: &str) -> Result<Self, InvalidPortMapping> {
        let (ports, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
        let (host, machine) = ports.split_once(':').unwrap_or((ports, ports));
        Ok(Self(MachinePort {
            protocol: Protocol::parse(protocol).ok_or(InvalidPortMapping)?,
            host_port: port(host).ok_or(InvalidPortMapping)?,
            machine_port: port(machine).ok_or(InvalidPortMapping)?,
        }))
    }
}

impl fmt::Display for PortMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.0;
        write!(
            f,
            "{}:{}/{}",
            port.host_port, port.machine_port, port.protocol
        )
    }
}

/// Parses the number of a port: digits alone, from 1.
fn port(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number.filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::{PortMapping, PortRange};

    #[test]
    fn mappings_and_ranges_have_one_spelling() {
        for wrong in [
            "", "0", "65536", "1:0", "1:2/sctp", "1:2:3", "+1", "1/TCP", " 1", "1:",
        ] {
            assert!(wrong.parse::<PortMapping>().is_err(), "{wrong}");
        }
        for wrong in ["", "30000", "2-1", "0-5", "1-65536", "a-b", "1-2-3"] {
            assert!(wrong.parse::<PortRange>().is_err(), "{wrong}");
        }
        let range: PortRange = "30000 - 30001".parse().unwrap();
        assert_eq!(range.to_string(), "30000-30001");
        assert_eq!("7-7".parse::<PortRange>().unwrap().ports().count(), 1);
    }
}
