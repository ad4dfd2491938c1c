//! One file for each route, and the rules that hold for all of them.

mod article;
mod assets;
mod console_page;
mod cors;
mod every_route;
mod feedback;
mod feeds;
mod health;
mod limits;
mod list;
mod metadata;
mod not_found;
mod openapi;
mod plans;
mod search;
mod status;
mod status_page;
mod widget;
