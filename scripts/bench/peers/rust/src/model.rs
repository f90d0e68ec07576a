//! What travels, and the rules on it that serde does not know.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize, Serializer};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pet {
    pub id: i64,
    pub name: String,
    pub category_id: i64,
    pub status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPet {
    pub name: String,
    pub category_id: i64,
    pub status: Option<String>,
}

impl NewPet {
    pub fn is_valid(&self) -> bool {
        let length = self.name.chars().count();
        (1..=100).contains(&length)
            && !self.name.trim().is_empty()
            && self.category_id >= 1
            && self.status.as_deref().is_none_or(is_status)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub id: i64,
    pub pet_id: i64,
    pub quantity: i64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_milliseconds")]
    pub ship_date: Option<DateTime<Utc>>,
    pub complete: bool,
}

fn in_milliseconds<S: Serializer>(date: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = date.map(|date| date.to_rfc3339_opts(SecondsFormat::Millis, true));
    text.serialize(serializer)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrder {
    pub pet_id: i64,
    pub quantity: i64,
    pub ship_date: Option<DateTime<Utc>>,
}

impl NewOrder {
    pub fn is_valid(&self) -> bool {
        self.pet_id >= 1 && (1..=1_000_000).contains(&self.quantity)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListQuery {
    #[serde(default = "page")]
    pub limit: i64,
    pub cursor: Option<String>,
    pub status: Option<String>,
    pub category_id: Option<i64>,
}

fn page() -> i64 {
    20
}

impl ListQuery {
    pub fn is_valid(&self) -> bool {
        (1..=100).contains(&self.limit)
            && self.category_id.is_none_or(|id| id >= 1)
            && self.status.as_deref().is_none_or(is_status)
    }
}

fn is_status(text: &str) -> bool {
    matches!(text, "available" | "pending" | "sold")
}

#[derive(Serialize)]
pub struct Refused {
    pub code: &'static str,
    pub message: String,
    pub status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<[Detail; 1]>,
}

#[derive(Serialize)]
pub struct Detail {
    pub path: &'static str,
    pub message: &'static str,
}
