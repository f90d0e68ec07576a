//! Serves four operations with axum and tokio-postgres.

mod model;
mod store;

use std::env::var;
use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};

use model::{Detail, ListQuery, NewOrder, NewPet, Refused};
use store::Store;

enum Failure {
    Refused(Refused),
    Database(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Failure::Database(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let refused = match self {
            Failure::Refused(refused) => refused,
            Failure::Database(error) => {
                eprintln!("{error}");
                Refused { code: "internal_error", message: "Something went wrong.".into(), status: 500, details: None }
            }
        };
        let status = StatusCode::from_u16(refused.status).expect("a status");
        (status, Json(refused)).into_response()
    }
}

fn refuse<T>(status: u16, code: &'static str, message: String) -> Result<T, Failure> {
    Err(Failure::Refused(Refused { code, message, status, details: None }))
}

fn invalid<T>(message: impl ToString) -> Result<T, Failure> {
    refuse(400, "invalid_request", message.to_string())
}

type Shared = State<Arc<Store>>;

async fn get_pet(State(store): Shared, id: Result<Path<i64>, PathRejection>) -> Result<Response, Failure> {
    let id = match id {
        Ok(Path(id)) if (1..=9_007_199_254_740_991).contains(&id) => id,
        _ => return invalid("The identifier is not valid."),
    };
    match store.get_pet(id).await? {
        Some(pet) => Ok(Json(pet).into_response()),
        None => refuse(404, "not_found", format!("There is no animal {id}.")),
    }
}

async fn list_pets(
    State(store): Shared,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, Failure> {
    let query = match query {
        Ok(Query(query)) if query.is_valid() => query,
        Ok(_) => return invalid("The query is not valid."),
        Err(error) => return invalid(error),
    };
    let Ok(after) = query.cursor.as_deref().unwrap_or("0").parse() else {
        return invalid("The cursor is not one of ours.");
    };
    let mut pets = store.list_pets(&query, after).await?;
    if pets.len() <= query.limit as usize {
        return Ok(Json(pets).into_response());
    }
    pets.pop();
    let next = pets.last().map_or(0, |pet| pet.id).to_string();
    Ok(([("x-next-cursor", next)], Json(pets)).into_response())
}

async fn create_pet(
    State(store): Shared,
    body: Result<Json<NewPet>, JsonRejection>,
) -> Result<Response, Failure> {
    let new = match body {
        Ok(Json(new)) if new.is_valid() => new,
        Ok(_) => return invalid("The animal is not valid."),
        Err(error) => return invalid(error),
    };
    match store.create_pet(&new).await? {
        Some(pet) => {
            let location = format!("/pets/{}", pet.id);
            Ok((StatusCode::CREATED, [(LOCATION, location)], Json(pet)).into_response())
        }
        None => Err(Failure::Refused(Refused {
            code: "category_not_found",
            message: format!("There is no category {}.", new.category_id),
            status: 409,
            details: Some([Detail { path: "/categoryId", message: "names no category" }]),
        })),
    }
}

async fn place_order(
    State(store): Shared,
    body: Result<Json<NewOrder>, JsonRejection>,
) -> Result<Response, Failure> {
    let new = match body {
        Ok(Json(new)) if new.is_valid() => new,
        Ok(_) => return invalid("The order is not valid."),
        Err(error) => return invalid(error),
    };
    if let Some(order) = store.place_order(&new).await? {
        let location = format!("/store/orders/{}", order.id);
        return Ok((StatusCode::CREATED, [(LOCATION, location)], Json(order)).into_response());
    }
    let (id, quantity) = (new.pet_id, new.quantity);
    match store.stock(id).await? {
        None => refuse(409, "pet_not_available", format!("There is no animal {id}.")),
        Some((status, _)) if status != "available" => {
            refuse(409, "pet_not_available", format!("Animal {id} is {status}."))
        }
        Some((_, stock)) => {
            let message = format!("Animal {id} has {stock} in stock, {quantity} were ordered.");
            refuse(409, "insufficient_stock", message)
        }
    }
}

#[tokio::main]
async fn main() {
    let url = var("DATABASE_URL").expect("DATABASE_URL");
    let one_statement = var("ORDERS").is_ok_and(|orders| orders == "statement");
    let store = Store::open(&url, one_statement).await.expect("a database");
    let app = Router::new()
        .route("/pets", get(list_pets).post(create_pet))
        .route("/pets/{id}", get(get_pet))
        .route("/store/orders", post(place_order))
        .with_state(Arc::new(store));
    let address = format!("127.0.0.1:{}", var("PORT").expect("PORT"));
    let listener = tokio::net::TcpListener::bind(address).await.expect("a free port");
    axum::serve(listener, app).await.expect("a server");
}
