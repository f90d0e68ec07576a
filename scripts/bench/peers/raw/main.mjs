import { createServer } from 'node:http'
import pg from 'pg'

// What the runtime can do: node:http, prepared statements on pipelined connections, reads of one turn in one query, and
// replies written by hand. No framework, and no validation but what these four operations need.

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
const clients = await Promise.all(
  Array.from({ length: 2 }, async () => {
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true, types })
    await client.connect()
    return client
  }),
)
let turn = 0
const query = (name, text, values) =>
  clients[turn++ % clients.length].query({ name, text, values, rowMode: 'array' })

const petColumns = 'id, name, category_id, status'
const statuses = new Set(['available', 'pending', 'sold'])
const isId = value => Number.isSafeInteger(value) && value >= 1
const petText = ([id, name, category, status]) =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category},"status":"${status}"}`

/** Reads of one turn of the event loop, by identifier. */
let waiting = new Map()
function readPet(id) {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) setImmediate(readWaiting)
    const others = waiting.get(id)
    if (others) others.push({ resolve, reject })
    else waiting.set(id, [{ resolve, reject }])
  })
}
async function readWaiting() {
  const asked = waiting
  waiting = new Map()
  try {
    const text = `select ${petColumns} from pets where id = any($1::bigint[])`
    const { rows } = await query('read', text, [[...asked.keys()]])
    for (const row of rows) {
      for (const { resolve } of asked.get(row[0])) resolve(row)
      asked.delete(row[0])
    }
    for (const others of asked.values()) for (const { resolve } of others) resolve(undefined)
  } catch (error) {
    for (const others of asked.values()) for (const { reject } of others) reject(error)
  }
}

const order = `
  with taken as (
    update pets set stock = stock - $2::int, open_orders = open_orders + 1,
      status = case when stock = $2::int then 'pending' else status end
    where id = $1 and status = 'available' and stock >= $2::int returning id
  )
  insert into orders (pet_id, quantity, ship_date) select id, $2::int, $3::timestamptz from taken
  returning id, ship_date`
const create = `insert into pets (name, name_key, category_id, status) values ($1, $2, $3, $4) returning ${petColumns}`

function send(response, status, body, headers) {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
const refuse = (response, status, code, message, more) =>
  send(response, status, JSON.stringify({ code, message, status, ...more }))
const refuseInput = response => refuse(response, 400, 'invalid_request', 'The request is not valid.')

async function getPet(response, text) {
  const id = Number(text)
  if (!/^\d+$/.test(text) || !isId(id)) return refuseInput(response)
  const pet = await readPet(id)
  return pet
    ? send(response, 200, petText(pet))
    : refuse(response, 404, 'not_found', `There is no animal ${id}.`)
}

async function listPets(response, search) {
  const params = new URLSearchParams(search)
  const [limit, cursor, status, category] = [
    Number(params.get('limit') ?? 20),
    params.get('cursor') ?? '0',
    params.get('status'),
    params.get('categoryId'),
  ]
  if (!Number.isInteger(limit) || limit < 1 || limit > 100 || !/^\d{1,15}$/.test(cursor))
    return refuseInput(response)
  if (status !== null && !statuses.has(status)) return refuseInput(response)
  if (category !== null && !isId(Number(category))) return refuseInput(response)
  const values = [cursor, limit + 1]
  let where = 'id > $1'
  if (status !== null) where += ` and status = $${values.push(status)}`
  if (category !== null) where += ` and category_id = $${values.push(category)}`
  const text = `select ${petColumns} from pets where ${where} order by id limit $2`
  const { rows } = await query(`list ${where}`, text, values)
  const hasMore = rows.length > limit
  if (hasMore) rows.pop()
  const headers = hasMore ? { 'x-next-cursor': String(rows.at(-1)[0]) } : {}
  return send(response, 200, `[${rows.map(petText).join(',')}]`, headers)
}

async function createPet(response, body) {
  const { name, categoryId, status = 'available', ...rest } = body
  const isName = typeof name === 'string' && name.length <= 100 && /\S/.test(name)
  if (!isName || !isId(categoryId) || !statuses.has(status) || Object.keys(rest).length > 0)
    return refuseInput(response)
  try {
    const { rows } = await query('create', create, [name, name.toLowerCase(), categoryId, status])
    return send(response, 201, petText(rows[0]), { location: `/pets/${rows[0][0]}` })
  } catch (error) {
    if (error.code !== '23503') throw error
    const details = [{ path: '/categoryId', message: 'names no category' }]
    return refuse(response, 409, 'category_not_found', `There is no category ${categoryId}.`, { details })
  }
}

async function placeOrder(response, body) {
  const { petId, quantity, shipDate, ...rest } = body
  const isDate = shipDate === undefined || /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/.test(shipDate)
  const isQuantity = Number.isInteger(quantity) && quantity >= 1 && quantity <= 1_000_000
  if (!isId(petId) || !isQuantity || !isDate || Object.keys(rest).length > 0) return refuseInput(response)
  const { rows } = await query('order', order, [petId, quantity, shipDate ?? null])
  if (!rows[0]) return refuseOrder(response, petId, quantity)
  const [id, shipped] = rows[0]
  const ship = shipped ? `"shipDate":"${shipped.toISOString()}",` : ''
  const text = `{"id":${id},"petId":${petId},"quantity":${quantity},${ship}"complete":false}`
  return send(response, 201, text, { location: `/store/orders/${id}` })
}

async function refuseOrder(response, petId, quantity) {
  const { rows } = await query('why', 'select status, stock from pets where id = $1', [petId])
  const [status, stock] = rows[0] ?? []
  if (!rows[0]) return refuse(response, 409, 'pet_not_available', `There is no animal ${petId}.`)
  if (status !== 'available')
    return refuse(response, 409, 'pet_not_available', `Animal ${petId} is ${status}.`)
  const message = `Animal ${petId} has ${stock} in stock, ${quantity} were ordered.`
  return refuse(response, 409, 'insufficient_stock', message)
}

const routes = { '/pets': createPet, '/store/orders': placeOrder }

function withBody(request, response, handle) {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    let body
    try {
      body = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    } catch {}
    if (typeof body !== 'object' || body === null) return refuseInput(response)
    return handle(response, body).catch(error => fail(response, error))
  })
}

function fail(response, error) {
  console.error(error)
  refuse(response, 500, 'internal_error', 'Something went wrong.')
}

createServer((request, response) => {
  const { method, url } = request
  if (method === 'GET' && url.startsWith('/pets/'))
    return getPet(response, url.slice(6)).catch(error => fail(response, error))
  if (method === 'GET' && (url === '/pets' || url.startsWith('/pets?')))
    return listPets(response, url.slice(6)).catch(error => fail(response, error))
  const handle = method === 'POST' ? routes[url] : undefined
  if (handle) return withBody(request, response, handle)
  return refuse(response, 404, 'not_found', 'There is nothing here.')
}).listen(Number(process.env.PORT), '127.0.0.1')
