//! The layout of built-in mails: one column, with styles on the elements because many mail programs support
//! no others, and colours for light and dark.

use std::fmt::Write;

use super::words::{FilledWords, Words};
use crate::outside::mail::message::Message;

/// Lays out a built-in mail as plain text.
pub(super) fn text(message: &Message, words: &Words, filled: &FilledWords) -> String {
    let mut parts = vec![words.title, &filled.about];
    if let Some(link) = &message.link {
        parts.extend([words.follow, link]);
    }
    if let Some(code) = &message.code {
        parts.extend([enter(message, words), code]);
    }
    parts.extend(filled.expiry.as_deref());
    parts.push(&filled.farewell);
    parts.join("\n\n") + "\n"
}

/// Lays out a built-in mail as HTML.
pub(super) fn html(
    message: &Message,
    words: &Words,
    filled: &FilledWords,
    language: &str,
) -> String {
    let title = escape(words.title);
    let mut parts = vec![heading(words.title), paragraph(&filled.about)];
    if let Some(link) = &message.link {
        parts.push(paragraph(words.follow));
        parts.push(button(link, words.button));
        parts.push(link_text(link));
    }
    if let Some(code) = &message.code {
        parts.push(paragraph(enter(message, words)));
        parts.push(code_box(code));
    }
    parts.extend(filled.expiry.as_deref().map(small));
    parts.push(small(&filled.farewell));
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"supported-color-schemes\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body class=\"page\" style=\"margin:0;padding:0;background-color:#f3f4f6;\">\n\
         <table role=\"presentation\" class=\"page\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" \
         border=\"0\" style=\"background-color:#f3f4f6;\">\n\
         <tr><td align=\"center\" style=\"padding:32px 12px;\">\n\
         <table role=\"presentation\" class=\"card\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" \
         border=\"0\" style=\"max-width:540px;background-color:#ffffff;border:1px solid #e2e4e9;\
         border-radius:10px;\">\n\
         <tr><td align=\"left\" style=\"padding:32px;{FONT}\">\n{}\n</td></tr>\n</table>\n\
         </td></tr>\n</table>\n</body>\n</html>\n",
        parts.join("\n")
    )
}

const FONT: &str = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,\
                    sans-serif;";

/// Styles for mail programs that support style sheets.
const STYLE: &str = "\
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #17181c !important; }
  .card { background-color: #22242a !important; border-color: #363943 !important; }
  .ink { color: #eceef2 !important; }
  .faint { color: #a3a8b4 !important; }
  .code { background-color: #2f323a !important; border-color: #454955 !important; color: #ffffff !important; }
  .link { color: #8ab4ff !important; }
}
@media (max-width: 480px) {
  .card > tbody > tr > td { padding: 24px 20px !important; }
}
";

fn heading(text: &str) -> String {
    let text = escape(text);
    format!(
        "<h1 class=\"ink\" style=\"margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;\
         color:#16181d;\">{text}</h1>"
    )
}

fn paragraph(text: &str) -> String {
    let text = escape(text);
    format!(
        "<p class=\"ink\" style=\"margin:0 0 16px;font-size:16px;line-height:1.5;color:#30343c;\
         overflow-wrap:anywhere;\">{text}</p>"
    )
}

fn small(text: &str) -> String {
    let text = escape(text);
    format!(
        "<p class=\"faint\" style=\"margin:24px 0 0;font-size:13px;line-height:1.5;color:#636975;\">\
         {text}</p>"
    )
}

/// The button. The cell has its colour too, for programs that do not support padding of links.
fn button(link: &str, label: &str) -> String {
    let (link, label) = (escape(link), escape(label));
    format!(
        "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" \
         style=\"margin:0 0 16px;\"><tr><td align=\"center\" bgcolor=\"#1f5fd6\" \
         style=\"border-radius:6px;background-color:#1f5fd6;\"><a href=\"{link}\" \
         style=\"display:inline-block;padding:12px 22px;font-size:16px;line-height:1.2;font-weight:600;\
         color:#ffffff;text-decoration:none;{FONT}\">{label}</a></td></tr></table>"
    )
}

/// The link as text, to copy it where the button does not work.
fn link_text(link: &str) -> String {
    let link = escape(link);
    format!(
        "<p class=\"faint\" style=\"margin:0 0 24px;font-size:13px;line-height:1.5;color:#636975;\
         word-break:break-all;overflow-wrap:anywhere;\"><a class=\"link\" href=\"{link}\" \
         style=\"color:#1f5fd6;\">{link}</a></p>"
    )
}

fn code_box(code: &str) -> String {
    let code = escape(code);
    format!(
        "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>\
         <td class=\"code\" bgcolor=\"#f3f4f6\" style=\"padding:14px 16px 14px 20px;\
         background-color:#f3f4f6;border:1px solid #e2e4e9;border-radius:6px;color:#16181d;\
         font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace;font-size:26px;\
         line-height:1.2;letter-spacing:4px;\"><strong>{code}</strong></td></tr></table>"
    )
}

fn enter(message: &Message, words: &Words) -> &'static str {
    if message.link.is_some() {
        words.enter_after_link
    } else {
        words.enter
    }
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' | '<' | '>' | '"' | '\'' => {
                // Writing to a string cannot fail.
                write!(escaped, "&#{};", u32::from(character)).ok();
            }
            other => escaped.push(other),
        }
    }
    escaped
}
