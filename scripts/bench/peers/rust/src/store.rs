//! Prepared statements: reads and single writes travel pipelined on a few shared connections, transactions get one of
//! their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::{DateTime, Utc};
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, NoTls, Row, Statement};

use crate::model::{ListQuery, NewOrder, NewPet, Order, Pet};

const SHARED: usize = 2;
const TAKE: &str = "update pets set stock = stock - $2::int8, open_orders = open_orders + 1,
    status = case when stock = $2::int8 then 'pending' else status end
    where id = $1 and status = 'available' and stock >= $2::int8 returning id";
const INSERT: &str =
    "insert into orders (pet_id, quantity, ship_date) values ($1, $2, $3) returning id, ship_date";

pub struct Store {
    shared: Vec<Shared>,
    turn: AtomicUsize,
    pool: Pool,
    one_statement: bool,
}

struct Shared {
    client: Client,
    get: Statement,
    list: Statement,
    by_status: Statement,
    by_category: Statement,
    by_both: Statement,
    create: Statement,
    order: Statement,
    why: Statement,
}

fn pet(row: &Row) -> Pet {
    Pet { id: row.get(0), name: row.get(1), category_id: row.get(2), status: row.get(3) }
}

async fn connect(url: &str) -> Result<Shared, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    let list = |more: &str| {
        format!("select id, name, category_id, status from pets where id > $1{more} order by id limit $2")
    };
    let order = format!(
        "with taken as ({TAKE}) insert into orders (pet_id, quantity, ship_date)
         select id, $2::int8::int4, $3::timestamptz from taken returning id, ship_date"
    );
    Ok(Shared {
        get: client.prepare("select id, name, category_id, status from pets where id = $1").await?,
        list: client.prepare(&list("")).await?,
        by_status: client.prepare(&list(" and status = $3")).await?,
        by_category: client.prepare(&list(" and category_id = $3")).await?,
        by_both: client.prepare(&list(" and status = $3 and category_id = $4")).await?,
        create: client
            .prepare(
                "insert into pets (name, name_key, category_id, status) values ($1, $2, $3, $4)
                 returning id, name, category_id, status",
            )
            .await?,
        order: client.prepare(&order).await?,
        why: client.prepare("select status, stock from pets where id = $1").await?,
        client,
    })
}

impl Store {
    pub async fn open(url: &str, one_statement: bool) -> Result<Store, Error> {
        let mut shared = Vec::new();
        for _ in 0..SHARED {
            shared.push(connect(url).await?);
        }
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(url.parse()?, NoTls, config);
        let pool = Pool::builder(manager).max_size(10).build().expect("a pool without timeouts");
        Ok(Store { shared, turn: AtomicUsize::new(0), pool, one_statement })
    }

    fn next(&self) -> &Shared {
        &self.shared[self.turn.fetch_add(1, Ordering::Relaxed) % SHARED]
    }

    pub async fn get_pet(&self, id: i64) -> Result<Option<Pet>, Error> {
        let Shared { client, get, .. } = self.next();
        Ok(client.query_opt(get, &[&id]).await?.as_ref().map(pet))
    }

    /// One more than the limit, where there are so many.
    pub async fn list_pets(&self, query: &ListQuery, after: i64) -> Result<Vec<Pet>, Error> {
        let shared = self.next();
        let most = query.limit + 1;
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&after, &most];
        let statement = match (&query.status, &query.category_id) {
            (None, None) => &shared.list,
            (Some(status), None) => {
                values.push(status);
                &shared.by_status
            }
            (None, Some(category)) => {
                values.push(category);
                &shared.by_category
            }
            (Some(status), Some(category)) => {
                values.extend([status as &(dyn ToSql + Sync), category]);
                &shared.by_both
            }
        };
        Ok(shared.client.query(statement, &values).await?.iter().map(pet).collect())
    }

    /// None when there is no such category.
    pub async fn create_pet(&self, new: &NewPet) -> Result<Option<Pet>, Error> {
        let Shared { client, create, .. } = self.next();
        let status = new.status.as_deref().unwrap_or("available");
        let row = client.query_one(create, &[&new.name, &new.name.to_lowercase(), &new.category_id, &status]).await;
        match row {
            Ok(row) => Ok(Some(pet(&row))),
            Err(error) if error.code() == Some(&SqlState::FOREIGN_KEY_VIOLATION) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// None when the animal is missing, not available or has too little stock.
    pub async fn place_order(&self, new: &NewOrder) -> Result<Option<Order>, Error> {
        let row = if self.one_statement {
            let Shared { client, order, .. } = self.next();
            client.query_opt(order, &[&new.pet_id, &new.quantity, &new.ship_date]).await?
        } else {
            self.in_transaction(new).await?
        };
        Ok(row.map(|row| Order {
            id: row.get(0),
            pet_id: new.pet_id,
            quantity: new.quantity,
            ship_date: row.get::<_, Option<DateTime<Utc>>>(1),
            complete: false,
        }))
    }

    async fn in_transaction(&self, new: &NewOrder) -> Result<Option<Row>, Error> {
        let mut client = self.pool.get().await.expect("a connection");
        let take = client.prepare_cached(TAKE).await?;
        let insert = client.prepare_cached(INSERT).await?;
        let transaction = client.transaction().await?;
        if transaction.query_opt(&take, &[&new.pet_id, &new.quantity]).await?.is_none() {
            return Ok(None);
        }
        let quantity = new.quantity as i32;
        let row = transaction.query_one(&insert, &[&new.pet_id, &quantity, &new.ship_date]).await?;
        transaction.commit().await?;
        Ok(Some(row))
    }

    /// Status and stock of an animal.
    pub async fn stock(&self, id: i64) -> Result<Option<(String, i64)>, Error> {
        let Shared { client, why, .. } = self.next();
        Ok(client.query_opt(why, &[&id]).await?.map(|row| (row.get(0), row.get(1))))
    }
}
