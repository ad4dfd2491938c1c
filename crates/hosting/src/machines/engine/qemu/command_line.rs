//! The command line of an emulator.

use std::path::Path;

use super::disk::{DiskImage, GuestKernel};
use super::machine_folder::{MAX_SOCKET_PATH, MachineFolder};
use super::network;
use crate::config::{Accelerator, VpsConfig};
use crate::machines::engine::{EngineError, VpsBlueprint};

/// Returns the arguments of the emulator of a machine.
///
/// The emulator goes to the background in a session of its own, where nothing that ends us reaches it. The
/// guest does not begin before it is told to.
pub(super) fn arguments(
    blueprint: &VpsBlueprint,
    folder: &MachineFolder,
    image: &DiskImage,
    config: &VpsConfig,
    is_root: bool,
) -> Result<Vec<String>, EngineError> {
    let mut arguments = ArgumentList::default();
    let machine = blueprint.machine;
    arguments.flags("-nodefaults -no-user-config -display none -daemonize -S");
    arguments.option("-pidfile", path_text(&folder.pid_file())?);
    arguments.option("-name", format!("guest={machine},process=innkeeper-vps"));
    arguments.option("-uuid", machine.to_string());
    // A guest that powers off or panics leaves the emulator in that state, so that it can be asked for.
    arguments.flags("-no-shutdown -action panic=pause -device pvpanic");
    // A filter of system calls. `spawn=deny` and `elevateprivileges=deny` would also forbid what `-daemonize`
    // and `-runas` do; the process cannot get new privileges by running a program in any case.
    arguments.flags("-sandbox on,obsolete=deny,resourcecontrol=deny");
    // Only root may become another user.
    if is_root {
        arguments.option("-runas", config.user.clone());
    }
    hardware(&mut arguments, blueprint, config.accelerator);
    disk(&mut arguments, folder)?;
    arguments
        .0
        .extend(network::arguments(blueprint, config.listen_address));
    serial_port(&mut arguments, folder)?;
    monitor(&mut arguments, "qmp0", &folder.monitor())?;
    monitor(&mut arguments, "qmp1", &folder.spare_monitor())?;
    if let Some(kernel) = &image.kernel {
        boot_kernel(&mut arguments, kernel)?;
    }
    Ok(arguments.0)
}

fn hardware(arguments: &mut ArgumentList, blueprint: &VpsBlueprint, accelerator: Accelerator) {
    let spec = &blueprint.spec;
    arguments.flags("-machine pc,usb=off,vmport=off -cpu max -rtc base=utc");
    // The first one that works is used.
    if accelerator != Accelerator::Tcg {
        arguments.flags("-accel kvm");
    }
    if accelerator != Accelerator::Kvm {
        arguments.flags("-accel tcg,thread=multi");
    }
    arguments.option("-m", format!("{}M", spec.memory_mib));
    arguments.option("-smp", spec.cpus.to_string());
    // A guest that suspends itself to memory could not be woken.
    arguments.flags("-global PIIX4_PM.disable_s3=1 -global PIIX4_PM.disable_s4=1");
    arguments.flags("-device virtio-rng-pci");
}

fn disk(arguments: &mut ArgumentList, folder: &MachineFolder) -> Result<(), EngineError> {
    let file = option_text(&folder.disk())?;
    // The guest can give space back. If the host has no space left, the guest is paused and not told.
    let backend = format!(
        "driver=qcow2,node-name=disk0,discard=unmap,file.driver=file,file.discard=unmap,file.filename={file}"
    );
    arguments.option("-blockdev", backend);
    arguments.flags("-device virtio-blk-pci,drive=disk0,bootindex=1,werror=enospc,rerror=report");
    Ok(())
}

/// Adds the serial console, a socket for one client whose output is also written to a file.
fn serial_port(arguments: &mut ArgumentList, folder: &MachineFolder) -> Result<(), EngineError> {
    let socket = socket_text(&folder.serial_socket())?;
    let log = option_text(&folder.serial_log())?;
    // Appending lets `serial_log.rs` cut the file.
    let backend =
        format!("socket,id=serial0,path={socket},server=on,wait=off,logfile={log},logappend=on");
    arguments.option("-chardev", backend);
    arguments.flags("-serial chardev:serial0");
    Ok(())
}

fn monitor(arguments: &mut ArgumentList, id: &str, socket: &Path) -> Result<(), EngineError> {
    let socket = socket_text(socket)?;
    let backend = format!("socket,id={id},path={socket},server=on,wait=off");
    arguments.option("-chardev", backend);
    arguments.option("-mon", format!("chardev={id},mode=control"));
    Ok(())
}

fn boot_kernel(arguments: &mut ArgumentList, kernel: &GuestKernel) -> Result<(), EngineError> {
    arguments.option("-kernel", path_text(&kernel.file)?);
    if let Some(initrd) = &kernel.initrd {
        // A comma separates several files.
        arguments.option("-initrd", option_text(initrd)?);
    }
    if !kernel.command_line.is_empty() {
        arguments.option("-append", kernel.command_line.clone());
    }
    Ok(())
}

/// Arguments of a command line.
#[derive(Debug, Default)]
struct ArgumentList(Vec<String>);

impl ArgumentList {
    /// Adds arguments that have no spaces.
    fn flags(&mut self, flags: &str) {
        self.0.extend(flags.split(' ').map(str::to_owned));
    }

    /// Adds an argument with its value.
    fn option(&mut self, name: &str, value: String) {
        self.0.extend([name.to_owned(), value]);
    }
}

/// Returns a path as the value in a list of options, where a comma is written twice.
fn option_text(path: &Path) -> Result<String, EngineError> {
    Ok(path_text(path)?.replace(',', ",,"))
}

fn path_text(path: &Path) -> Result<String, EngineError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| EngineError::Internal(format!("the path {} is not UTF-8", path.display())))
}

fn socket_text(path: &Path) -> Result<String, EngineError> {
    if path.as_os_str().len() > MAX_SOCKET_PATH {
        let reason = format!("the path {} is too long for a socket", path.display());
        return Err(EngineError::Internal(reason));
    }
    option_text(path)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use uuid::Uuid;

    use super::super::disk::DiskFormat;
    use super::*;
    use crate::config::Config;
    use crate::model::{MachinePort, Protocol, VpsNetwork, VpsSpec};

    fn blueprint(network: VpsNetwork) -> VpsBlueprint {
        VpsBlueprint {
            machine: Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef),
            spec: VpsSpec {
                image: "demo".to_owned(),
                disk_bytes: 1 << 20,
                memory_mib: 256,
                cpus: 2,
                network,
                stop_seconds: 30,
            },
            ports: Vec::new(),
        }
    }

    fn line(blueprint: &VpsBlueprint, folder: &str, change: impl FnOnce(&mut VpsConfig)) -> String {
        let mut config = Config::defaults().vps;
        change(&mut config);
        let folder = MachineFolder::new(Path::new(folder), blueprint.machine);
        let image = DiskImage {
            path: PathBuf::from("/images/demo.raw"),
            format: DiskFormat::Raw,
            kernel: None,
        };
        let arguments = arguments(blueprint, &folder, &image, &config, true);
        arguments.unwrap().join(" ")
    }

    #[test]
    fn a_guest_gets_what_was_ordered() {
        let line = line(&blueprint(VpsNetwork::None), "/m", |_| {});
        for part in [
            "-m 256M -smp 2 ",
            "-accel kvm -accel tcg,thread=multi ",
            "-runas nobody ",
            "-uuid 01234567-89ab-cdef-0123-456789abcdef ",
            ",file.filename=/m/01234567-89ab-cdef-0123-456789abcdef/disk.qcow2 ",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(!line.contains("-netdev"), "{line}");
    }

    #[test]
    fn a_user_network_is_restricted_to_forwarded_ports() {
        let mut blueprint = blueprint(VpsNetwork::User);
        for (protocol, host_port, machine_port) in
            [(Protocol::Tcp, 2222, 22), (Protocol::Udp, 5353, 53)]
        {
            blueprint.ports.push(MachinePort {
                protocol,
                host_port,
                machine_port,
            });
        }
        let line = line(&blueprint, "/m", |config| {
            config.listen_address = std::net::Ipv4Addr::LOCALHOST;
            config.accelerator = Accelerator::Tcg;
        });
        let network = "-netdev user,id=net0,restrict=on,ipv6=off,hostfwd=tcp:127.0.0.1:2222-:22,\
                       hostfwd=udp:127.0.0.1:5353-:53 \
                       -device virtio-net-pci,netdev=net0,mac=52:67:89:ab:cd:ef,romfile= ";
        assert!(line.contains(network), "{line}");
        assert!(!line.contains("kvm"), "{line}");
    }

    #[test]
    fn a_tap_device_has_a_name_that_fits() {
        let line = line(&blueprint(VpsNetwork::Tap("br0".to_owned())), "/m", |_| {});
        let network = "-netdev tap,id=net0,ifname=ink456789abcdef,script=no,downscript=no ";
        assert!(line.contains(network), "{line}");
    }

    #[test]
    fn a_comma_in_a_path_adds_no_option() {
        let line = line(&blueprint(VpsNetwork::None), "/m,readonly=on", |_| {});
        assert!(line.contains("path=/m,,readonly=on/"), "{line}");
        assert!(line.contains("file.filename=/m,,readonly=on/"), "{line}");
        assert!(!line.contains("=/m,r"), "{line}");
    }

    #[test]
    fn a_path_that_is_too_long_for_a_socket_is_an_error() {
        let folder = MachineFolder::new(Path::new(&"/m".repeat(50)), Uuid::nil());
        let error = socket_text(&folder.monitor()).unwrap_err();
        assert!(error.to_string().contains("too long"), "{error}");
    }
}
