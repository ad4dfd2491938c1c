use proptest::prelude::*;

use super::{Argon2Hash, HashCost, Memory, StoredHash, check_import, check_import_cost};
use crate::crypto::password::argon2id;

fn matches(hash: &str, password: &str) -> bool {
    let hash = StoredHash::parse(hash).unwrap();
    hash.matches(password.as_bytes(), &mut Memory::default())
        .unwrap()
}

fn needs_rehash(hash: &str) -> bool {
    StoredHash::parse(hash)
        .unwrap()
        .needs_rehash(HashCost::RECOMMENDED)
}

/// Hashes made by other implementations, and their passwords.
const KNOWN: [(&str, &str); 9] = [
    (
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "correct horse",
    ),
    (
        "$2y$10$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu",
        "correct horse",
    ),
    (
        "$2b$04$abcdefghijklmnopqrstuuKiIlCeXB6chNXkLyAo8C7XcLPzh6zUe",
        "éééééééééééééééééééééééééééééééééééé",
    ),
    (
        "$argon2id$v=19$m=19456,t=2,p=1$YSBzYWx0IG9mIDE2IGJ5Lg$oe8350JdGE8DvsCUleVzoXc7zlik6P0zGJSfIcN/nTA",
        "correct horse",
    ),
    (
        "$argon2id$v=19$m=65536,t=3,p=4$YSBzYWx0IG9mIDE2IGJ5Lg$DGoNfWgfN5mqglEJQc9hZhh0e2xFTyx7tzcycNf8Am0",
        "correct horse",
    ),
    (
        "$argon2i$v=19$m=4096,t=3,p=1$YSBzYWx0IG9mIDE2IGJ5Lg$eElpkbNhiKjzcjOD0sRXCwwjdQ8E128CbndYbkBwKh4",
        "correct horse",
    ),
    (
        "$argon2id$v=19$m=64,t=1,p=2$YSBzYWx0IG9mIDE2IGJ5Lg==$0NNyljZFIyogUZf/8njo/w==",
        "correct horse",
    ),
    (
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
        "user1password",
    ),
    (
        "$fbscrypt$v=1,n=10,r=8,p=2,ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=",
        "plain scrypt",
    ),
];

#[test]
fn hashes_made_elsewhere_match_their_password_only() {
    for (hash, password) in KNOWN {
        assert_eq!(check_import(hash), Ok(()), "{hash}");
        assert!(matches(hash, password), "{hash}");
        for wrong in ["", "Correct horse", "correct horse ", "user1password1"] {
            assert!(!matches(hash, wrong), "{hash}");
        }
    }
}

#[test]
fn new_hashes_match_their_password_and_stay() {
    let mut memory = Memory::default();
    let hash = argon2id::hash(b"correct horse", HashCost::RECOMMENDED, &mut memory).unwrap();
    assert!(
        hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{hash}"
    );
    assert!(matches(&hash, "correct horse"));
    assert!(!matches(&hash, "wrong horse"));
    assert!(!needs_rehash(&hash));
    assert_ne!(
        hash,
        argon2id::hash(b"correct horse", HashCost::RECOMMENDED, &mut memory).unwrap()
    );
}

#[test]
fn who_does_not_exist_costs_as_much_as_a_new_hash() {
    for cost in [HashCost::RECOMMENDED, HashCost::FOR_TESTS] {
        let new = argon2id::hash(b"correct horse", cost, &mut Memory::default()).unwrap();
        let nobody = StoredHash::Argon2(Argon2Hash::dummy(cost).unwrap());
        assert_eq!(nobody.kind(), StoredHash::parse(&new).unwrap().kind());
    }
}

#[test]
fn weaker_hashes_are_replaced() {
    for (hash, _) in KNOWN {
        let strong = hash.contains("$m=19456,t=2") || hash.contains("$m=65536,t=3");
        assert_eq!(needs_rehash(hash), !strong, "{hash}");
    }
}

#[test]
fn memory_used_for_one_hash_does_not_change_the_next() {
    let mut memory = Memory::default();
    for (hash, password) in KNOWN.iter().chain(KNOWN.iter().rev()) {
        let hash = StoredHash::parse(hash).unwrap();
        assert_eq!(hash.matches(password.as_bytes(), &mut memory), Some(true));
        memory.trim(HashCost::RECOMMENDED);
    }
}

fn assert_refused(cases: impl IntoIterator<Item = (String, &'static str)>) {
    for (hash, reason) in cases {
        let error = check_import(&hash).expect_err(&hash).to_string();
        assert!(error.contains(reason), "{hash}: {error}");
    }
}

#[test]
fn broken_or_unknown_hashes_are_refused_with_a_reason() {
    assert_refused(
        [
            ("", "none of"),
            ("secret", "none of"),
            ("{\"key_id\":\"a\"}", "none of"),
            ("$1$salt$hash", "none of"),
            (
                "$2x$10$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu",
                "none of",
            ),
            ("$2a$10$short", "bcrypt hash is broken"),
            (
                "$2a$10$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3X!",
                "bcrypt hash is broken",
            ),
            (
                "$2a$31$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu",
                "cost",
            ),
            (
                "$2a$03$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu",
                "cost",
            ),
            ("$argon2id$", "form"),
            ("$fbscrypt$invalid", "form"),
        ]
        .map(|(hash, reason)| (hash.to_owned(), reason)),
    );
}

#[test]
fn unusable_argon2_hashes_are_refused_with_a_reason() {
    let with = |params: &str| {
        format!("$argon2id$v=19${params}$YSBzYWx0IG9mIDE2IGJ5Lg$0NNyljZFIyogUZf/8njo/w")
    };
    let good = with("m=64,t=1,p=1");
    let hash = "0NNyljZFIyogUZf/8njo/w";
    assert_eq!(check_import(&good), Ok(()));
    assert_refused([
        (good.replace("argon2id", "argon2d"), "only argon2id"),
        (good.replace("v=19", "v=16"), "version 19"),
        (with("m=64,t=1"), "no others"),
        (with("m=64,t=1,p=1,keyid=abc"), "no others"),
        (with("m=64,t=1,p=1,data=abc"), "no others"),
        (with("m=sixty,t=1,p=1"), "not a number"),
        (with("m=+64,t=1,p=1"), "not a number"),
        (with("m=4294967297,t=1,p=1"), "not a number"),
        (with("m=1048577,t=1,p=1"), "up to"),
        (with("m=64,t=21,p=1"), "up to"),
        (with("m=640,t=1,p=17"), "up to"),
        (with("m=64,t=0,p=1"), "at least"),
        (with("m=64,t=1,p=0"), "at least"),
        (with("m=8,t=1,p=2"), "at least"),
        (good.replace("YSBz", "!!!!"), "base64"),
        (good.replace("0NNy", "!!!!"), "base64"),
        (good.replace("YSBzYWx0IG9mIDE2IGJ5Lg", ""), "too short"),
        (good.replace(hash, ""), "too short"),
        (good.replace(hash, &"A".repeat(700)), "too long"),
    ]);
}

#[test]
fn unusable_scrypt_hashes_are_refused_with_a_reason() {
    let with = |params: &str| {
        format!("$fbscrypt${params}$c2FsdA==$5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY=")
    };
    assert_eq!(check_import(&with("v=1,n=14,r=8,p=1")), Ok(()));
    assert_refused([
        (with("v=2,n=14,r=8,p=1"), "version 1"),
        (with("v=1,n=14,r=8"), "not a number"),
        (with("v=1,n=0,r=8,p=1"), "at least 1"),
        (with("v=1,n=14,r=0,p=1"), "at least 1"),
        (with("v=1,n=14,r=8,p=0"), "at least 1"),
        (with("v=1,n=20,r=8,p=1"), "256 MiB"),
        (with("v=1,n=200,r=8,p=1"), "256 MiB"),
        (with("v=1,n=63,r=4294967295,p=1"), "256 MiB"),
        (with("v=1,n=14,r=8,p=17"), "p up to 16"),
        (with("v=1,n=14,r=8,p=1,sk=AAAA"), "wrong length"),
        (with("v=1,n=14,r=8,p=1,sk="), "wrong length"),
        (with("v=1,n=14,r=8,p=1,ss=!"), "base64"),
        (with("v=1,n=14,r=8,p=1,sk=Bw==,ss=Bw=="), "no others"),
        (
            with("v=1,n=14,r=8,p=1").replace("$c2FsdA==", "$"),
            "wrong length",
        ),
    ]);
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "(\\$(argon2id|fbscrypt|2a)\\$)?.{0,80}") {
        let _ = check_import(&text);
    }
}

#[test]
fn imported_hashes_cost_at_most_about_a_second() {
    let bcrypt =
        |cost: u32| format!("$2a${cost:02}$abcdefghijklmnopqrstuu23JPZtHcGhwXSF41f93o/7vBdDut3Xu");
    let argon2 = |memory: u32, passes: u32| {
        format!(
            "$argon2id$v=19$m={memory},t={passes},p=4$YSBzYWx0IG9mIDE2IGJ5Lg$0NNyljZFIyogUZf/8njo/w"
        )
    };
    let scrypt = |power: u32, lanes: u32| {
        format!(
            "$fbscrypt$v=1,n={power},r=8,p={lanes},ss=Bw==$c2l4dGVlbiBieXRlIHNhbHQ=\
             $5++Q274Gjd9dXC/mJQNAUALpz1UON/0rsox3avyRwbY="
        )
    };
    for (hash, is_allowed) in [
        (bcrypt(4), true),
        (bcrypt(13), true),
        (bcrypt(14), false),
        (bcrypt(16), false),
        (argon2(19_456, 2), true),
        (argon2(262_144, 4), true),
        (argon2(262_144, 5), false),
        (argon2(262_145, 1), false),
        (argon2(52_429, 20), false),
        (argon2(52_428, 20), true),
        (scrypt(14, 1), true),
        (scrypt(14, 16), true),
        (scrypt(15, 8), true),
        (scrypt(15, 9), false),
    ] {
        // Whatever is stored already can still be checked.
        assert_eq!(check_import(&hash), Ok(()), "{hash}");
        let checked = check_import_cost(&hash);
        assert_eq!(checked.is_ok(), is_allowed, "{hash}: {checked:?}");
    }
    assert!(check_import_cost("secret").is_err());
}
