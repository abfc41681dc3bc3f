import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { promiseOf, takenAway } from '../../tools/release/contract.ts'
import { readKeptApi } from '../../tools/release/keep-api.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'

const { url } = await startBursar({ after })
const document: Json = await (await fetch(`${url}/openapi.json`)).json()
const kept = readKeptApi()

test('the API takes nothing away from what the last release promised', () => {
  assert.ok(Object.keys(kept.calls).length > 100)
  assert.deepEqual(takenAway(kept, promiseOf(document)), [])
})

const ORDERS = '/api/v1/integrations/pay/orders'

/** What a change of the document takes away from it. */
function afterwards(change: (changed: Json) => void): string[] {
  const changed = structuredClone(document)
  change(changed)
  return takenAway(promiseOf(document), promiseOf(changed))
}

const schemaOf = ({ components }: Json, { content }: Json): Json =>
  components.schemas[content['application/json'].schema.$ref.split('/').at(-1)]
const bodyOf = (whole: Json): Json => schemaOf(whole, whole.paths[ORDERS].post.requestBody)
const answerOf = (whole: Json): Json => schemaOf(whole, whole.paths[ORDERS].post.responses[201])

test('what is taken away or made stricter is found, by its name', () => {
  const create = `POST ${ORDERS}`
  const cases: [change: (changed: Json) => void, found: string][] = [
    [({ paths }) => delete paths[ORDERS].post, `${create} is gone`],
    [
      ({ paths }) => (paths[ORDERS].post['x-scope'] = 'admin'),
      `${create} asks for the scope admin, not orders`,
    ],
    [({ webhooks }) => delete webhooks['refund.failed'], 'refund.failed is gone'],
    [({ components }) => delete components.responses.Error422, 'IDE00000 is gone'],
    [whole => delete bodyOf(whole).properties.notes, `${create}: body notes is gone`],
    [whole => bodyOf(whole).required.push('grade'), `${create}: body grade is required now`],
    [whole => (bodyOf(whole).properties.name.maxLength = 10), `${create}: body name has a lower maxLength`],
    [whole => (bodyOf(whole).properties.name.pattern = 'a'), `${create}: body name has another pattern`],
    [
      whole => (bodyOf(whole).properties.name.type = 'integer'),
      `${create}: body name does not take "string" as its type`,
    ],
    [
      ({ paths }) =>
        paths[ORDERS].get.parameters.find((one: Json) => one.name === 'status').schema.enum.pop(),
      `GET ${ORDERS}: query status does not take "unpaid" as its enum`,
    ],
    [
      ({ paths }) =>
        paths[ORDERS].get.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
      `GET ${ORDERS}: query x is new and required`,
    ],
    [whole => delete answerOf(whole).properties.data, `${create}: 201 data is gone`],
    [whole => answerOf(whole).required.pop(), `${create}: 201 data may be absent now`],
  ]
  for (const [change, found] of cases)
    assert.ok(afterwards(change).includes(found), `${found}, among ${afterwards(change).join('; ')}`)
})

test('what is added is none of it: operations, optional fields, fields of answers, values, events', () => {
  const found = afterwards(whole => {
    whole.paths['/api/v1/new'] = { get: { ...whole.paths[ORDERS].get, operationId: 'new' } }
    whole.webhooks['new.event'] = whole.webhooks['refund.failed']
    const request = bodyOf(whole)
    request.properties.more = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }
    request.properties.name.maxLength += 1
    request.required = request.required.filter((one: string) => one !== 'email')
    answerOf(whole).properties.more = { type: 'string' }
    whole.paths[ORDERS].get.parameters.find((one: Json) => one.name === 'status').schema.enum.push('other')
  })
  assert.deepEqual(found, [])
})
