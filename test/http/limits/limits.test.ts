import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPerson } from '../../console/support.ts'
import { startBursar } from '../../harness/bursar.ts'
import type { Answer, Json } from '../../harness/client.ts'
import { waitFor } from '../../harness/wait.ts'
import { readOperations, type Operation } from '../fixtures/operations.ts'

/** Every limit that the published document names, overstepped by one. */
const bursar = await startBursar({ after })
await bursar.sql('update api_keys set rate_per_second = 1000000, burst = 1000000')
const visitor = await createPerson(bursar, {
  email: 'all@example.in',
  operator: true,
  institute: 'demo-school',
})

type Excess = { path: string[]; what: string; value: Json }

function excessesOf(schema: Json, path: string[] = []): Excess[] {
  const { minimum, maximum, exclusiveMinimum, maxLength, minItems, maxItems, properties, items } = schema
  const beyond: [limit: number | undefined, what: string, value: (limit: number) => Json][] = [
    [minimum, 'less than its minimum', limit => limit - 1],
    [maximum, 'more than its maximum', limit => limit + 1],
    [exclusiveMinimum, 'no more than its minimum', limit => limit],
    [maxLength, 'longer than its maximum', limit => 'x'.repeat(limit + 1)],
    [minItems, 'fewer items than its minimum', limit => Array.from({ length: limit - 1 })],
    [maxItems, 'more items than its maximum', limit => Array.from({ length: limit + 1 }, () => 'x')],
  ]
  return [
    ...beyond.flatMap(([limit, what, value]) =>
      limit === undefined ? [] : [{ path, what, value: value(limit) }],
    ),
    ...Object.entries<Json>(properties ?? {}).flatMap(([name, one]) => excessesOf(one, [...path, name])),
    ...(items === undefined ? [] : excessesOf(items, [...path, '0'])),
  ]
}

function withExcess(valid: Json, { path, value }: Excess): Json {
  const body = structuredClone(valid)
  const parent = path.slice(0, -1).reduce<Json>((inner, key) => inner[key], body)
  parent[path.at(-1) ?? ''] = value
  return body
}

/** One session may send 50 requests a second, which a warm process does. */
async function unhurried(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  const isLookedAt = async (): Promise<boolean> =>
    answer.status !== 429 || (answer = await ask()).status !== 429
  await waitFor(isLookedAt, 'a request within the rate', { everyMs: 100 })
  return answer
}

function send({ method, path }: Operation, body: Json): Promise<Answer> {
  const filled = path.replaceAll(/\{\w+\}/g, name => (name.includes('_year_') ? '2040' : '2040-01-26'))
  if (path.startsWith('/console/')) return unhurried(() => visitor.send(method, filled, body))
  return bursar.demo.send(method, filled, body)
}

/** Who may see a lender's application is asked before what is sent about it: test/console/desk/desk.slow.ts has these. */
const AT_DESK = '/console/api/lenders/'
const operations = readOperations(bursar).filter(
  ({ path, valid }) => valid !== undefined && !path.startsWith(AT_DESK),
)
test('the document names limits, so that the tests below mean something', () => {
  assert.ok(operations.flatMap(({ schema }) => excessesOf(schema)).length > 300)
})

for (const operation of operations) {
  test(`${operation.method} ${operation.path} refuses what is beyond a limit that it names`, async () => {
    for (const excess of excessesOf(operation.schema)) {
      const { status, body, text } = await send(operation, withExcess(operation.valid, excess))
      const name = excess.path.join('.')
      const named = body?.errors?.some(({ key }: Json) => key === name)
      assert.ok(status === 400 && named, `${name} ${excess.what}: ${status} ${text.slice(0, 300)}`)
    }
  })
}
