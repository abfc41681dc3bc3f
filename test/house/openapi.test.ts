import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EVENT_CODES, TEST_CODE } from '../../src/events/define-event.ts'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'
import { readInlined } from '../harness/openapi/openapi.ts'
import { operationsOf } from '../harness/openapi/operations.ts'
import { flawsOf } from '../harness/openapi/example-check.ts'

const bursar = await startBursar({ after })
const document = await readInlined(bursar.url)
const operations: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]): [string, Json] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
)

/** Paths of fields without a description, below a schema. */
function undescribed(schema: Json, path: string): string[] {
  const here: string[] = []
  for (const [name, field] of Object.entries<Json>(schema?.properties ?? {})) {
    const isConstant = field.const !== undefined
    const isContainer = field.type === 'object' || field.type === 'array'
    if (!isConstant && !isContainer && field.description === undefined) here.push(`${path}.${name}`)
    here.push(...undescribed(field, `${path}.${name}`))
  }
  if (schema?.items !== undefined) here.push(...undescribed(schema.items, `${path}[]`))
  return here
}

test('it is OpenAPI 3.1 with every route of the API, Basic authentication and a licence', () => {
  assert.match(document.openapi, /^3\.1\./)
  assert.ok(operations.length >= 18, `${operations.length} operations`)
  assert.equal(document.components.securitySchemes.basic.scheme, 'basic')
  assert.equal(document.info.license.identifier, 'Apache-2.0')
  for (const [name] of operations) assert.match(name, /^(GET|POST|PATCH|DELETE|PUT) \/api\/v1\//)
})

test('it has every operation of the API and none of the console, which are in the route table', () => {
  const inTable = operationsOf(bursar, '/api/').map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(inTable.toSorted(), operations.map(([name]) => name).toSorted())
  assert.ok(operationsOf(bursar, '/console/').length > 100)
})

test('every operation has a name, a summary, a description, and an example of each success and of its body', () => {
  const names = new Set<string>()
  for (const [name, operation] of operations) {
    assert.ok(operation.operationId && operation.summary && operation.description, name)
    assert.ok(!names.has(operation.operationId), `${operation.operationId} stands twice`)
    names.add(operation.operationId)
    for (const [status, answer] of Object.entries<Json>(operation.responses)) {
      const content = answer.content?.['application/json']
      assert.ok(answer.description, `${name} ${status}`)
      const isFile = content === undefined
      if (status.startsWith('2') && !isFile)
        assert.ok(content.examples.answer.value, `${name} ${status} has no example`)
    }
    const body = operation.requestBody?.content['application/json']
    if (body !== undefined) assert.ok(body.example, `${name} has no example body`)
  }
})

test('every field of every request, answer and event is described', () => {
  const gaps = operations.flatMap(([name, operation]) => [
    ...undescribed(operation.requestBody?.content['application/json']?.schema, name),
    ...(operation.parameters ?? [])
      .filter((one: Json) => !one.description)
      .map((one: Json) => `${name} ${one.name}`),
    ...Object.entries<Json>(operation.responses).flatMap(([status, answer]) =>
      undescribed(answer.content?.['application/json']?.schema, `${name} ${status}`),
    ),
  ])
  const events = Object.entries<Json>(document.webhooks).flatMap(([code, item]) =>
    undescribed(item.post.requestBody.content['application/json'].schema, code),
  )
  assert.deepEqual([...gaps, ...events], [])
})

/** The examples of the document with what each has to fit: bodies, answers and webhooks. */
function examples(): { what: string; schema: Json; example: Json }[] {
  const ofOperations = operations.flatMap(([name, { requestBody, responses }]) => {
    const body = requestBody?.content['application/json']
    const answers = Object.entries<Json>(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, answer]) => ({ what: `${name} ${status}`, media: answer.content?.['application/json'] }))
    return [
      ...(body === undefined ? [] : [{ what: name, schema: body.schema, example: body.example }]),
      ...answers.flatMap(({ what, media }) =>
        media === undefined ? [] : [{ what, schema: media.schema, example: media.examples.answer.value }],
      ),
    ]
  })
  const ofEvents = Object.entries<Json>(document.webhooks).map(([code, { post }]) => ({
    what: code,
    ...post.requestBody.content['application/json'],
  }))
  return [...ofOperations, ...ofEvents]
}

test('every example has every field of its schema and fits it: bodies, answers and webhooks', () => {
  const all = examples()
  assert.ok(all.length > operations.length + EVENT_CODES.length, `${all.length} examples`)
  assert.deepEqual(
    all.flatMap(({ what, schema, example }) => flawsOf(schema, example, what)),
    [],
  )
})

test('the check above finds a field that is missing, one too many and one of the wrong kind', () => {
  const [{ schema, example } = assert.fail()] = examples()
  const { phone, ...without } = example
  const at = (flawed: Json): string[] => flawsOf(schema, flawed, 'it')
  assert.deepEqual(at(example), [])
  assert.deepEqual(at(without), ['it.phone is missing'])
  assert.deepEqual(at({ ...example, fax: phone }), ['it.fax is not in the schema'])
  assert.equal(at({ ...example, phone: 'none' }).length, 1)
  assert.equal(at({ ...example, details: [{ ...example.details[0], amount: 0 }] }).length, 1)
})

test('the webhooks section has every event code', () => {
  assert.deepEqual(Object.keys(document.webhooks).toSorted(), [...EVENT_CODES, TEST_CODE].toSorted())
})

test('the guides are pages beside the reference, whose links lead to pages that there are', async () => {
  const index = await bursar.demo.get('/docs/guides/')
  const pages = [...index.text.matchAll(/href="(\/docs\/guides\/[\w-]+)"/g)].map(([, path = '']) => path)
  assert.ok(pages.length > 10 && pages.includes('/docs/guides/first-hour'), String(pages))
  for (const path of pages) {
    const { status, text } = await bursar.demo.get(path)
    assert.equal(status, 200, path)
    assert.match(text, /<h1 id=/, path)
    assert.doesNotMatch(text, /<p>[#|]|```|\]\(/, `${path} has Markdown that is not understood`)
    for (const [, other = '', anchor] of text.matchAll(/href="(\/docs\/guides\/[\w-]+)(?:#([\w-]+))?"/g)) {
      assert.ok(pages.includes(other), `${path} leads to ${other}`)
      if (anchor !== undefined)
        assert.match(
          (await bursar.demo.get(other)).text,
          new RegExp(`id="${anchor}"`),
          `${path} to ${anchor}`,
        )
    }
  }
  assert.equal((await bursar.demo.get('/docs/guides/../../package.json')).status, 404)
})

test('the reference is a page of our own that asks no other host', async () => {
  const page = await bursar.demo.get('/docs/')
  assert.equal(page.status, 200)
  assert.match(page.text, /openapi\.json/)
  assert.doesNotMatch(page.text, /(src|href)="https?:/)
})

test('each sample of the guide in five languages is there in all of them, behind one choice for the page', async () => {
  const { text } = await bursar.demo.get('/docs/guides/samples')
  const groups = [...text.matchAll(/<div class="languages">([\s\S]*?)<\/div>/g)].map(
    ([, group = '']) => group,
  )
  assert.ok(groups.length >= 4)
  for (const group of groups)
    for (const name of ['sh', 'js', 'python', 'php', 'java'])
      assert.ok(
        group.includes(`for="in-${name}"`) && group.includes(`<pre class="${name}">`),
        `${name}: ${group}`,
      )
  assert.equal(text.match(/<input class="in"/g)?.length, 5)
  assert.ok(!(await bursar.demo.get('/docs/guides/errors')).text.includes('<input class="in"'))
})

test('the guides are searched by words, headings first, and what is typed is text on the page', async () => {
  const search = async (words: string): Promise<string> =>
    (await bursar.demo.get(`/docs/guides/search?q=${encodeURIComponent(words)}`)).text
  const [, first = ''] = /<li><a href="([^"]*)"/.exec(await search('webhook signature')) ?? []
  const [page = '', anchor = ''] = first.split('#')
  assert.match((await bursar.demo.get(page)).text, new RegExp(`id="${anchor}"`))
  assert.match(await search('<script>alert(1)</script>'), /Nothing has “&lt;script&gt;/)
  assert.match(await search(''), /Type what you are looking for/)
  assert.equal((await bursar.demo.get('/docs/guides/search?q=a&q=b')).status, 200)
})
