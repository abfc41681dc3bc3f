import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { startBursar } from '../harness/bursar.ts'
import type { Json } from '../harness/client.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const bursar = await startBursar({ after })
const STUDENTS = readFileSync(join(ROOT, 'docs/erp-developer/samples/students.csv'), 'utf8')

type CollectionRequest = {
  name: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/** A request as the programs send it: with its variables filled in. */
async function send(
  request: CollectionRequest,
  variables: Map<string, string>,
): Promise<{ status: number; body: Json }> {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
      name === '$randomUUID' ? randomUUID() : (variables.get(name) ?? assert.fail(`${name} is not set`)),
    )
  const credentials = Buffer.from(`${variables.get('api_key')}:${variables.get('api_secret')}`)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, fill(value)] as const)
  const response = await fetch(fill(request.url), {
    method: request.method,
    headers: { ...Object.fromEntries(headers), authorization: `Basic ${credentials.toString('base64')}` },
    ...(request.body === undefined ? {} : { body: fill(request.body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

/** What they ask for depends on what is due or active by then: 400 says so. */
const BY_STATE = [
  'Create an order for dues',
  'Make an instalment plan',
  'Start a loan application',
  'Disable a webhook',
]

/** The first folder works to its end; no request of the others is refused for its form. */
function judge(
  folder: string,
  { name }: CollectionRequest,
  { status, body }: { status: number; body: Json },
): void {
  const what = `${folder}: ${name} was answered by ${status} ${JSON.stringify(body).slice(0, 300)}`
  if (folder === 'First hour') assert.ok(status < 300, what)
  else assert.ok(status < 300 || status === 404 || status === 409 || BY_STATE.includes(name), what)
}

test('the Postman collection: its first hour runs to the end, and no other request is refused for its form', async () => {
  const collection: Json = JSON.parse(
    readFileSync(join(ROOT, 'sdk/postman/bursar.postman_collection.json'), 'utf8'),
  )
  const variables = new Map<string, string>(collection.variable.map(({ key, value }: Json) => [key, value]))
  variables.set('base_url', bursar.url)
  let count = 0
  for (const { name: folder, item } of collection.item)
    for (const { name, event, request } of item) {
      const headers = request.header.map(({ key, value }: Json) => [key, value])
      const sent: CollectionRequest = {
        name,
        method: request.method,
        url: request.url.raw,
        headers: Object.fromEntries(headers),
        body: request.body?.mode === 'file' ? STUDENTS : request.body?.raw,
      }
      const answer = await send(sent, variables)
      judge(folder, sent, answer)
      count += 1
      const set = (key: string, value: string): unknown => variables.set(key, value)
      if (event !== undefined && answer.status < 300)
        runInNewContext(`{${event[0].script.exec.join('\n')}}`, {
          pm: { response: { json: () => answer.body }, collectionVariables: { set } },
        })
    }
  assert.ok(count > 100, `${count} requests`)
})

test('the Bruno folder: its first hour runs to the end, and no other request is refused for its form', async () => {
  const root = join(ROOT, 'sdk/bruno')
  const lines = blocks(readFileSync(join(root, 'environments/sandbox.bru'), 'utf8')).get('vars') ?? []
  const variables = new Map<string, string>(lines.map(pairOf))
  variables.set('base_url', bursar.url)
  const folders = readdirSync(root).filter(name => !name.includes('.') && name !== 'environments')
  for (const folder of ['First hour', ...folders.filter(name => name !== 'First hour')]) {
    const files = readdirSync(join(root, folder)).map(name =>
      blocks(readFileSync(join(root, folder, name), 'utf8')),
    )
    const seqOf = (file: Blocks): number => Number(new Map(file.get('meta')?.map(pairOf)).get('seq'))
    for (const file of files.toSorted((one, other) => seqOf(one) - seqOf(other))) {
      const request = toRequest(file)
      const answer = await send(request, variables)
      judge(folder, request, answer)
      for (const [name, path] of (file.get('vars:post-response') ?? []).map(pairOf)) {
        const value: Json = path
          .split('.')
          .slice(2)
          .reduce((at: Json, key) => at?.[key], answer.body)
        if (answer.status < 300 && value !== undefined) variables.set(name, String(value))
      }
    }
  }
})

type Blocks = Map<string, string[]>

function blocks(text: string): Blocks {
  const found = text.matchAll(/^([\w:-]+) \{\n([\s\S]*?)^\}$/gm)
  return new Map(
    [...found].map(([, name = '', inner = '']) => [
      name,
      inner
        .trimEnd()
        .split('\n')
        .map(line => line.slice(2)),
    ]),
  )
}

function pairOf(line: string): [string, string] {
  const at = line.indexOf(': ')
  return [line.slice(0, at), line.slice(at + 2)]
}

function toRequest(file: Blocks): CollectionRequest {
  const method = ['get', 'post', 'patch', 'put', 'delete'].find(name => file.has(name)) ?? ''
  const isFile = file.has('body:file')
  const json = file.get('body:json')?.join('\n')
  return {
    name: new Map(file.get('meta')?.map(pairOf)).get('name') ?? '',
    method: method.toUpperCase(),
    url: new Map(file.get(method)?.map(pairOf)).get('url') ?? '',
    headers: {
      ...Object.fromEntries((file.get('headers') ?? []).map(pairOf)),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(isFile ? { 'content-type': 'text/csv' } : {}),
    },
    body: isFile ? STUDENTS : json,
  }
}
