//! Which settings may change, and which values are tried?

use snapseek::json::Json;
use snapseek::ranking::default_trust;
use snapseek::recipe::hybrid::RecencyOptions;
use snapseek::{Schema, SearchOptions, attributes::AttributeType};

/// The weights of vectors to try, beside the default.
const TRUSTS: [f64; 8] = [0.0, 0.06, 0.12, 0.18, 0.22, 0.28, 0.4, 0.8];
/// The weights of a field to try, beside the default.
const WEIGHTS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// The least recency factors to try; `None` leaves recency off.
const FLOORS: [Option<f64>; 3] = [None, Some(0.5), Some(0.8)];
/// The attribute that dates a record, if the schema has it.
const USUAL_TIME: &str = "createdAt";

/// A setting that tuning may change, with the values to try. The first value is the default.
#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    /// The weight of a model's vectors in the default fusion.
    Trust { model: String, values: Vec<f64> },
    /// The weight of a text field.
    Weight { field: String, values: Vec<f64> },
    /// The least factor of an old record's score, by the time in this attribute; `None` is off.
    Recency { attribute: String, values: Vec<Option<f64>> },
}

/// The legs that the searches of an evaluation use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegsInUse {
    /// The model whose vectors the default fusion combines with words, if any search does that.
    pub fused_model: Option<String>,
    /// Whether any search has a keyword leg.
    pub keywords: bool,
}

/// Returns the settings that can change the results of searches with these options.
pub fn axes(schema: &Schema, options: &SearchOptions, legs: &LegsInUse) -> Vec<Axis> {
    let mut axes = Vec::new();
    if let Some((name, (_, model))) =
        legs.fused_model.as_ref().and_then(|name| Some((name, schema.model(name)?)))
    {
        let usual = options.trust.or(model.trust).unwrap_or(default_trust(model.kind()));
        axes.push(Axis::Trust { model: name.clone(), values: first_then(usual, &TRUSTS) });
    }
    if legs.keywords {
        for (field, own) in schema.field_names().into_iter().zip(schema.weights()) {
            let given = options.weights.iter().rev().find(|(name, _)| name == field);
            let usual = given.map_or(own, |(_, weight)| *weight);
            axes.push(Axis::Weight { field: field.to_owned(), values: first_then(usual, &WEIGHTS) });
        }
    }
    if let Some(attribute) = dating_attribute(schema, options) {
        let usual = options.recency.as_ref().map(|recency| recency.floor);
        axes.push(Axis::Recency { attribute, values: first_then(usual, &FLOORS) });
    }
    axes
}

/// Returns the attribute that dates records: the given one, `createdAt`, or else the first of type `time`.
fn dating_attribute(schema: &Schema, options: &SearchOptions) -> Option<String> {
    let times = schema.attributes().filter(|(_, kind)| *kind == AttributeType::Time);
    let times = times.map(|(name, _)| name).collect::<Vec<_>>();
    let wanted = options.recency.as_ref().and_then(|recency| recency.field.as_deref()).unwrap_or(USUAL_TIME);
    let found = times.iter().find(|name| **name == wanted).or(times.first());
    found.map(|name| (*name).to_owned())
}

/// Returns `first`, then the other values.
fn first_then<T: Copy + PartialEq>(first: T, values: &[T]) -> Vec<T> {
    let others = values.iter().copied().filter(|value| *value != first);
    std::iter::once(first).chain(others).collect()
}

impl Axis {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Axis::Trust { values, .. } | Axis::Weight { values, .. } => values.len(),
            Axis::Recency { values, .. } => values.len(),
        }
    }

    /// Returns the name for people, such as `weight of title`.
    pub fn name(&self) -> String {
        match self {
            Axis::Trust { model, .. } => format!("trust in {model}"),
            Axis::Weight { field, .. } => format!("weight of {field}"),
            Axis::Recency { attribute, .. } => format!("recency by {attribute}"),
        }
    }

    /// Returns the text of a value for people.
    pub fn text(&self, value: usize) -> String {
        match self {
            Axis::Trust { values, .. } | Axis::Weight { values, .. } => values[value].to_string(),
            Axis::Recency { values, .. } => {
                values[value].map_or("off".to_owned(), |floor| format!("floor {floor}"))
            }
        }
    }

    /// Sets a value in search options.
    pub fn apply(&self, value: usize, options: &mut SearchOptions) {
        match self {
            Axis::Trust { values, .. } => options.trust = Some(values[value]),
            Axis::Weight { field, values } => {
                options.weights.retain(|(name, _)| name != field);
                options.weights.push((field.clone(), values[value]));
            }
            Axis::Recency { attribute, values } => {
                let recency = |floor| RecencyOptions { field: Some(attribute.clone()), floor };
                options.recency = values[value].map(recency);
            }
        }
    }
}

/// Returns the chosen values as options of the JavaScript API. Recency that is off is `null`.
pub fn as_options<'a>(chosen: impl IntoIterator<Item = (&'a Axis, usize)>) -> Json {
    let (mut options, mut weights) = (Vec::new(), Vec::new());
    let mut recency = None;
    for (axis, value) in chosen {
        match axis {
            Axis::Trust { values, .. } => {
                options.push(("trust".to_owned(), Json::from_f64(values[value])));
            }
            Axis::Weight { field, values } => weights.push((field.clone(), Json::from_f64(values[value]))),
            Axis::Recency { attribute, values } => {
                let on = |floor| {
                    let field = ("field".to_owned(), Json::String(attribute.clone()));
                    Json::Object(vec![field, ("floor".to_owned(), Json::from_f64(floor))])
                };
                recency = Some(("recency".to_owned(), values[value].map_or(Json::Null, on)));
            }
        }
    }
    if !weights.is_empty() {
        options.push(("weights".to_owned(), Json::Object(weights)));
    }
    options.extend(recency);
    Json::Object(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Schema {
        Schema::parse(text.as_bytes()).unwrap()
    }

    fn legs(model: Option<&str>) -> LegsInUse {
        LegsInUse { fused_model: model.map(str::to_owned), keywords: true }
    }

    #[test]
    fn the_first_value_of_every_axis_is_the_default() {
        let schema = schema(
            r#"{"fields":{"title":{"weight":10},"body":{}},"attributes":{"day":"time"},"vectors":{"m":{"embedder":"hash"}}}"#,
        );
        let axes = axes(&schema, &SearchOptions::default(), &legs(Some("m")));
        let firsts = axes.iter().map(|axis| (axis.name(), axis.text(0), axis.len())).collect::<Vec<_>>();
        let expected = [
            ("trust in m", "0.05", 9),
            ("weight of title", "10", 6),
            ("weight of body", "1", 5),
            ("recency by day", "off", 3),
        ];
        assert_eq!(firsts, expected.map(|(name, text, len)| (name.to_owned(), text.to_owned(), len)));
    }

    #[test]
    fn options_of_the_caller_are_the_defaults_to_compare_with() {
        let schema = schema(
            r#"{"fields":{"title":{}},"attributes":{"day":"time","createdAt":"time"},"vectors":{"m":{"trust":0.3}}}"#,
        );
        let options = Json::parse(br#"{"weights":{"title":3},"recency":{"floor":0.2}}"#).unwrap();
        let options = SearchOptions::read(&options).unwrap();
        let texts = axes(&schema, &options, &legs(Some("m")));
        let texts = texts.iter().map(|axis| (axis.name(), axis.text(0))).collect::<Vec<_>>();
        let expected =
            [("trust in m", "0.3"), ("weight of title", "3"), ("recency by createdAt", "floor 0.2")];
        assert_eq!(texts, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn settings_without_effect_are_no_axes() {
        let schema = schema(r#"{"fields":{"title":{}},"vectors":{"m":{}}}"#);
        let options = SearchOptions::default();
        assert!(axes(&schema, &options, &LegsInUse::default()).is_empty());
        assert!(matches!(axes(&schema, &options, &legs(None))[..], [Axis::Weight { .. }]));
    }

    #[test]
    fn chosen_values_are_the_options_that_searches_used() {
        let schema = schema(
            r#"{"fields":{"title":{},"body":{}},"attributes":{"createdAt":"time"},"vectors":{"m":{}}}"#,
        );
        let axes = axes(&schema, &SearchOptions::default(), &legs(Some("m")));
        let mut options = SearchOptions::default();
        let chosen = [6, 4, 0, 1];
        axes.iter().zip(chosen).for_each(|(axis, value)| axis.apply(value, &mut options));
        let json = as_options(axes.iter().zip(chosen));
        let expected =
            r#"{"trust":0.28,"weights":{"title":8,"body":1},"recency":{"field":"createdAt","floor":0.5}}"#;
        assert_eq!(json.to_text(), expected);
        assert_eq!(SearchOptions::read(&json).unwrap(), options);
    }
}
