//! Chooses ports of the host for machines.

use std::collections::BTreeSet;

use crate::model::{MachinePort, PortRange, ProfilePort, Protocol};

/// Returns a host port that two of these mappings share, if there is one.
pub(crate) fn duplicate(ports: &[MachinePort]) -> Option<MachinePort> {
    let mut seen = BTreeSet::new();
    let mut ports = ports.iter();
    let twice = ports.find(|port| !seen.insert((port.protocol, port.host_port)));
    twice.copied()
}

/// Chooses a host port for each port of a profile, the lowest that are free. A port that the game uses with
/// both protocols gets one number, because players know only one. Returns `None` if the pool has too few.
pub(crate) fn allocate(
    pool: PortRange,
    wanted: &[ProfilePort],
    taken: &[(Protocol, u16)],
) -> Option<Vec<MachinePort>> {
    let mut taken: BTreeSet<(Protocol, u16)> = taken.iter().copied().collect();
    let mut numbers: Vec<u16> = Vec::new();
    for port in wanted {
        if !numbers.contains(&port.port) {
            numbers.push(port.port);
        }
    }
    let mut allocated = Vec::new();
    for number in numbers {
        let protocols: Vec<Protocol> = wanted
            .iter()
            .filter(|port| port.port == number)
            .map(|port| port.protocol)
            .collect();
        let is_free = |host: &u16| {
            let mut used = protocols.iter();
            !used.any(|protocol| taken.contains(&(*protocol, *host)))
        };
        let host_port = pool.ports().find(is_free)?;
        for protocol in protocols {
            taken.insert((protocol, host_port));
            allocated.push(MachinePort {
                protocol,
                host_port,
                machine_port: number,
            });
        }
    }
    Some(allocated)
}

#[cfg(test)]
mod tests {
    use super::{allocate, duplicate};
    use crate::model::{PortMapping, PortRange, ProfilePort, Protocol};

    fn pool(text: &str) -> PortRange {
        text.parse().unwrap()
    }

    fn wanted(ports: &[(u16, Protocol)]) -> Vec<ProfilePort> {
        let ports = ports.iter();
        ports
            .map(|&(port, protocol)| ProfilePort { port, protocol })
            .collect()
    }

    #[test]
    fn ports_are_the_lowest_free_ones_and_one_number_for_both_protocols() {
        let (tcp, udp) = (Protocol::Tcp, Protocol::Udp);
        let game = wanted(&[(25565, tcp), (25565, udp), (25575, tcp)]);
        let taken = [(tcp, 30000), (udp, 30001)];
        let ports = allocate(pool("30000-30009"), &game, &taken).unwrap();
        let ports: Vec<String> = ports
            .iter()
            .map(|port| PortMapping(*port).to_string())
            .collect();
        assert_eq!(
            ports,
            ["30002:25565/tcp", "30002:25565/udp", "30001:25575/tcp"]
        );
        assert_eq!(allocate(pool("30000-30001"), &game, &taken), None);
        assert_eq!(allocate(pool("30000-30000"), &[], &taken), Some(Vec::new()));
    }

    #[test]
    fn a_host_port_that_is_given_twice_is_found() {
        let ports = |texts: &[&str]| {
            let texts = texts.iter();
            let ports = texts.map(|text| text.parse::<PortMapping>().unwrap().0);
            ports.collect::<Vec<_>>()
        };
        assert_eq!(duplicate(&ports(&["1:1/tcp", "1:1/udp", "2:1"])), None);
        let twice = duplicate(&ports(&["1:1/tcp", "1:2/tcp"])).unwrap();
        assert_eq!((twice.host_port, twice.machine_port), (1, 2));
    }
}
