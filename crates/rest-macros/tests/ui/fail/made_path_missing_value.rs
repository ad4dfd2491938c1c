//! A parameter of the path that is given no value.

use innkeeper_rest::resource;

struct Users;

#[resource("/orgs/{org}/users")]
impl Users {
    #[get("/{id}")]
    fn get(&self, org: &str, id: u64) -> String {
        format!("{org} {id}")
    }
}

fn main() {
    let _ = Users::get_path(7);
}
