//! One file per path, named as in `src/api`.

mod health;
