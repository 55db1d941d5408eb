//! Normalises text with the host's `String.prototype.normalize`.

use super::Form;
use js_sys::JsString;

pub(super) fn in_form(text: &str, form: Form) -> String {
    let name = match form {
        Form::Nfd => "NFD",
        Form::Nfkc => "NFKC",
    };
    JsString::from(text).normalize(name).into()
}
