//! Normalises text with the crate unicode-normalization.

use super::Form;
use unicode_normalization::UnicodeNormalization;

pub(super) fn in_form(text: &str, form: Form) -> String {
    match form {
        Form::Nfd => text.nfd().collect(),
        Form::Nfkc => text.nfkc().collect(),
    }
}
