//! `VPS_*` and `QEMU_*`: how virtual private servers are run.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "VPS_IMAGES_DIR",
        Kind::Path,
        "The folder of disk images, `NAME.qcow2` or `NAME.raw`. By default `images` in `MACHINES_DIR`.",
    ),
    Setting::new(
        "QEMU_BINARY",
        Kind::Path,
        "The emulator. `qemu-img` is taken from the same folder if it is there, otherwise from `PATH`.",
    )
    .default(&["qemu-system-x86_64"]),
    Setting::new(
        "VPS_USER",
        Kind::Text,
        "The user that emulators run as if the server runs as root.",
    )
    .default(&["nobody"]),
    Setting::new(
        "VPS_ACCEL",
        Kind::OneOf(&["auto", "kvm", "tcg"]),
        "How guests are run: by the processor (`kvm`) or by emulation (`tcg`). `auto` means `kvm` where \
         `/dev/kvm` can be used.",
    )
    .default(&["auto"]),
    Setting::new(
        "VPS_LISTEN_ADDRESS",
        Kind::Other("an IPv4 address"),
        "The address of this host on which the forwarded ports of virtual private servers are open.",
    )
    .default(&["0.0.0.0"]),
];

/// How guests are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accelerator {
    /// By the processor if that works, otherwise by emulation.
    Auto,
    /// By the processor, through KVM.
    Kvm,
    /// By emulation, with QEMU's Tiny Code Generator.
    Tcg,
}

/// `VPS_*` and `QEMU_*` settings.
#[derive(Debug, Clone)]
pub struct VpsConfig {
    /// `VPS_IMAGES_DIR`: the folder of disk images; `None` for `images` in the folder of machines.
    pub images_dir: Option<PathBuf>,
    /// `QEMU_BINARY`, default `qemu-system-x86_64`.
    pub qemu_binary: PathBuf,
    /// `VPS_USER`: the user that emulators run as if the server runs as root, default `nobody`.
    pub user: String,
    /// `VPS_ACCEL`, default auto.
    pub accelerator: Accelerator,
    /// `VPS_LISTEN_ADDRESS`: the address on which forwarded ports are open, default 0.0.0.0.
    pub listen_address: Ipv4Addr,
}

impl VpsConfig {
    pub(super) fn read(reader: &mut Reader) -> Self {
        let user: String = reader.get("VPS_USER");
        let is_name_letter =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        if user.is_empty() || user.starts_with('-') || !user.chars().all(is_name_letter) {
            reader.fault("VPS_USER", "must be the name of a user");
        }
        let accelerator: String = reader.get("VPS_ACCEL");
        let address = reader.parsed("VPS_LISTEN_ADDRESS", |text, setting| {
            let address = text.trim().parse();
            address.map_err(|_| format!("expected {}", setting.kind.expects()))
        });
        Self {
            images_dir: reader.optional("VPS_IMAGES_DIR"),
            qemu_binary: reader.get("QEMU_BINARY"),
            user,
            accelerator: match accelerator.as_str() {
                "kvm" => Accelerator::Kvm,
                "tcg" => Accelerator::Tcg,
                _ => Accelerator::Auto,
            },
            listen_address: address.unwrap_or(Ipv4Addr::UNSPECIFIED),
        }
    }
}
