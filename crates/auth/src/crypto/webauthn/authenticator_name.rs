//! Names of authenticators that many people have.

use uuid::Uuid;

/// Models (AAGUID) and what their makers call them.
const NAMES: &[(&str, &str)] = &[
    ("08987058-cadc-4b81-b6e1-30de50dcbe96", "Windows Hello"),
    ("0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6", "Keeper"),
    (
        "149a2021-8ef6-4133-96b8-81f8d5b7f1f5",
        "Security Key by Yubico with NFC",
    ),
    ("19083c3d-8383-4b18-bc03-8f1c9ab2fd1b", "YubiKey 5 Series"),
    (
        "24673149-6c86-42e7-98d9-433fb5b73296",
        "YubiKey 5 Series with Lightning",
    ),
    ("2cd2f727-f6ca-44da-8f48-5c2e5da000a2", "Nitrokey 3 AM"),
    (
        "2fc0579f-8113-47ea-b116-bb5a8db9202a",
        "YubiKey 5 Series with NFC",
    ),
    ("39a5647e-1853-446c-a1f6-a79bae9f5bc7", "IDmelon"),
    (
        "42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3",
        "Google Titan Security Key v2",
    ),
    ("50726f74-6f6e-5061-7373-50726f746f6e", "Proton Pass"),
    ("531126d6-e717-415c-9320-3d9aa6981239", "Dashlane"),
    ("53414d53-554e-4700-0000-000000000000", "Samsung Pass"),
    (
        "57f7de54-c807-4eab-b1c6-1c9be7984e92",
        "YubiKey 5 FIPS Series",
    ),
    ("6028b017-b1d4-4c02-b4b3-afcdafc96bb2", "Windows Hello"),
    (
        "6d44ba9b-f6ec-2e49-b930-0c8fe920cb73",
        "Security Key by Yubico with NFC",
    ),
    (
        "73bb0cd4-e502-49b8-9c6f-b59445bf720b",
        "YubiKey 5 FIPS Series",
    ),
    ("7409272d-1ff9-4e10-9fc9-ac0019c124fd", "YubiKey Bio Series"),
    ("771b48fd-d3d4-4f74-9232-fc157ab0507a", "Edge on Mac"),
    ("8876631b-d4a0-427f-5773-0ec71c9e0279", "Solo"),
    ("8976631b-d4a0-427f-5773-0ec71c9e0279", "Solo Tap"),
    ("9ddd1817-af5a-4672-a2b9-3e3dd95000a9", "Windows Hello"),
    (
        "a02167b9-ae71-4ac7-9a07-06432ebb6f1c",
        "YubiKey 5 Series with Lightning",
    ),
    (
        "a10c6dd9-465e-4226-8198-c7c44b91c555",
        "Kaspersky Password Manager",
    ),
    (
        "a25342c0-3cdc-4414-8e46-f4807fca511c",
        "YubiKey 5 Series with NFC",
    ),
    (
        "a4e9fc6d-4cbe-4758-b8ba-37598bb5bbaa",
        "Security Key NFC by Yubico",
    ),
    ("adce0002-35bc-c60a-648b-0b25f1f05503", "Chrome on Mac"),
    ("b5397666-4885-aa6b-cebf-e52262a439a2", "Chromium Browser"),
    ("b78a0a55-6ef8-d246-a042-ba0f6d55050c", "LastPass"),
    (
        "b7d3f68e-88a6-471e-9ecf-2df26d041ede",
        "Security Key NFC by Yubico",
    ),
    ("b84e4048-15dc-4dd0-8640-f4f60813c8af", "NordPass"),
    (
        "b92c3f9a-c014-4056-887f-140a2501163b",
        "Security Key by Yubico",
    ),
    ("bada5566-a7aa-401f-bd96-45619a55120d", "1Password"),
    (
        "c1f9a0bc-1dd2-404a-b27f-8e29047a43fd",
        "YubiKey 5 FIPS Series with NFC",
    ),
    (
        "c5ef55ff-ad9a-4b9f-b580-adebafe026d0",
        "YubiKey 5 Series with Lightning",
    ),
    ("cb69481e-8ff7-4039-93ec-0a2729a154a8", "YubiKey 5 Series"),
    (
        "d3452668-01fd-4c12-926c-83a4204853aa",
        "Microsoft Password Manager",
    ),
    ("d548826e-79b4-db40-a3d8-11116f7e8349", "Bitwarden"),
    (
        "d7781e5d-e353-46aa-afe2-3ca49f13332a",
        "YubiKey 5 Series with NFC",
    ),
    ("d8522d9f-575b-4866-88a9-ba99fa02f35b", "YubiKey Bio Series"),
    (
        "dd4ec289-e01d-41c9-bb89-70fa845d4bf2",
        "iCloud Keychain (Managed)",
    ),
    ("dd86a2da-86a0-4cbe-b462-4bd31f57bc6f", "YubiKey Bio Series"),
    (
        "e77e3c64-05e3-428b-8824-0cbeb04b829d",
        "Security Key NFC by Yubico",
    ),
    (
        "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4",
        "Google Password Manager",
    ),
    ("ee882879-721c-4913-9775-3dfcce97072a", "YubiKey 5 Series"),
    ("f3809540-7f14-49c1-a8b3-8f813b225541", "Enpass"),
    (
        "fa2b99dc-9e39-4257-8f92-4a30d23c4118",
        "YubiKey 5 Series with NFC",
    ),
    ("fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "Apple Passwords"),
    ("fdb141b2-5d84-443e-8a35-4698c205a502", "KeePassXC"),
];

/// Returns the name of a model, or a general one.
pub(crate) fn authenticator_name(aaguid: Uuid) -> &'static str {
    let text = aaguid.to_string();
    let known = NAMES.iter().find(|(id, _)| *id == text);
    known.map_or("Passkey", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{NAMES, authenticator_name};

    #[test]
    fn models_are_in_order_and_stand_once() {
        assert!(NAMES.is_sorted_by(|one, next| one.0 < next.0));
    }

    #[test]
    fn known_models_have_their_name_and_others_a_general_one() {
        for (id, name) in NAMES {
            assert_eq!(authenticator_name(Uuid::parse_str(id).unwrap()), *name);
        }
        assert_eq!(authenticator_name(Uuid::nil()), "Passkey");
    }
}
