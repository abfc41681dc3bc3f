import Fastify from 'fastify'
import pg from 'pg'
import { insertPayment, type Body } from './payments/bare.ts'

/**
 * The peer that Bursar is measured against: the same framework and driver, the same rows, nothing else. No
 * authentication, limits, log, schema or idempotency. Prints its port.
 */
const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 16 })

const ORDER = `select o.id, o.kind, o.collector_code, o.state, o.name, o.phone, o.email, o.identifier, o.student_name, o.grade,
  o.stream, o.academic_year_start, o.academic_year_end, o.new_admission, o.date_of_birth, o.custom_identifier, o.notes,
  o.callback_url, o.expires_at, o.transaction_id, o.paid_at, o.closed_at, o.created_at,
  (select json_agg(json_build_object('componentType', l.component_type, 'amountPaise', l.amount_paise,
      'settlementUtr', l.settlement_utr, 'settledAt', l.settled_at) order by l.line_no)
   from order_lines l where l.institute_id = o.institute_id and l.order_id = o.id) as lines
  from orders o where o.institute_id = $1 and o.id = $2`

const app = Fastify({ logger: false })

app.get<{ Params: { id: string } }>('/orders/:id', async request => {
  const result = await pool.query({ name: 'order', text: ORDER, values: [1, request.params.id] })
  return { status: 'success', data: result.rows[0] as unknown }
})

let count = 0

async function inTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

app.post<{ Body: Body }>('/orders', async (request, reply) => {
  const id = `bare_${process.pid}_${++count}`
  const { name, phone, email, details } = request.body
  await inTransaction(async client => {
    await client.query({
      name: 'insert_order',
      text: `insert into orders (institute_id, id, kind, collector_code, name, phone, email, new_admission, notes, created_at)
        values (1, $1, 'order', 'MAIN', $2, $3, $4, false, '[]', now())`,
      values: [id, name, phone, email],
    })
    for (const [index, line] of details.entries()) {
      await client.query({
        name: 'insert_line',
        text: `insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise) values (1, $1, $2, $3, $4)`,
        values: [id, index + 1, line.component_type, Math.round(line.amount * 100)],
      })
    }
  })
  return reply.code(201).send({ status: 'success', data: { order_id: id } })
})

app.post<{ Body: Body }>('/payments', async (request, reply) => {
  const id = `bare_${process.pid}_${++count}`
  await inTransaction(client => insertPayment(client, id, request.body))
  return reply.code(201).send({ status: 'success', data: { order_id: id, status: 'captured' } })
})

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
