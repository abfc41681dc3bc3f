/** Every operation as a request that can be sent as it stands: what Postman and Bruno are given. */
export type CollectedRequest = {
  name: string
  description: string
  method: string
  /** With `{{variables}}` for its parameters. */
  path: string
  /** Those that may be left out are switched off. */
  query: { name: string; value: string; isOn: boolean; description: string }[]
  isWrite: boolean
  body: unknown
  /** Of a file that is the body. */
  fileType: string | null
  /** Variables that later requests use, by the field of `data` that they are read from. */
  captures: string[]
}

export type Collection = {
  title: string
  description: string
  variables: Record<string, string>
  folders: { name: string; description: string; requests: CollectedRequest[] }[]
}

// The document is read as what it is: JSON.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** Of nobody in particular: what a student pays beyond the dues would go back at once. */
const PAY_ORDER = {
  name: 'Asha Rao',
  phone: '+91 98765 43210',
  email: 'asha@example.in',
  details: [{ component_type: 'TUITION_FEE', amount: 45000 }],
}

/** From an empty sandbox to a settled payment, each request with what it needs of those before. */
const FIRST_HOUR: readonly (readonly [operation: string, body?: Json])[] = [
  ['listBranches'],
  ['registerStudent'],
  ['getStudent'],
  ['getDues'],
  ['createPayOrder', PAY_ORDER],
  ['sandboxPay', { outcome: 'success' }],
  ['getPayOrder'],
  ['getPayOrderReceipt'],
  ['refundPayOrder', { amount: 500, reason: 'left the school' }],
  ['addWebhook'],
  ['listEvents'],
  ['moveSandboxClock', { advance: 'P2D' }],
  ['listSettlements'],
]

/** An example shows every field; of those that exclude each other a request has to leave some out. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  createPaymentPage: ['min_amount', 'max_amount'],
  updatePaymentPage: ['min_amount', 'max_amount'],
  moveSandboxClock: ['to'],
  setSandboxErp: ['username', 'password'],
}

export function collect(document: Json): Collection {
  const schemas = document.components.schemas
  const variables: Record<string, string> = {
    base_url: 'http://127.0.0.1:8080',
    api_key: 'key_test_demo',
    api_secret: 'secret_test_demo',
  }
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
  )
  for (const { parameters = [] } of operations)
    for (const { name, in: place, example } of parameters)
      if (place === 'path') variables[name] ??= String(example)
  const byId = new Map<string, Json>(operations.map(one => [one.operationId, one]))
  const toRequest = (one: Json, body?: Json): CollectedRequest => describe(one, { schemas, variables, body })
  const firstHour = FIRST_HOUR.map(([id, body]) => toRequest(byId.get(id), body))
  const folders = document.tags
    .filter(({ name }: Json) => name !== 'Events')
    .map(({ name, description }: Json) => ({
      name,
      description,
      requests: operations.filter(({ tags }) => tags[0] === name).map(one => toRequest(one)),
    }))
  return {
    title: 'Bursar',
    description: document.info.title,
    variables,
    folders: [
      {
        name: 'First hour',
        description: 'To be run from top to bottom against a sandbox.',
        requests: firstHour,
      },
      ...folders,
    ],
  }
}

type Around = { schemas: Json; variables: Record<string, string>; body: Json }

function describe(one: Json, { schemas, variables, body }: Around): CollectedRequest {
  const content = one.requestBody?.content ?? {}
  const json = content['application/json']
  const parameters: Json[] = one.parameters ?? []
  return {
    name: one.summary,
    description: one.description,
    method: one.method,
    path: one.path.replaceAll(/\{(\w+)\}/g, '{{$1}}'),
    query: parameters
      .filter(parameter => parameter.in === 'query')
      .map(({ name, example, required, description }) => ({
        name,
        value: String(example),
        isOn: required,
        description,
      })),
    isWrite: one.method !== 'GET',
    body: body ?? withVariables(json?.example, variables, LEFT_OUT[one.operationId]),
    fileType: json === undefined ? (Object.keys(content)[0] ?? null) : null,
    captures: capturesOf(one.responses['201'] ?? one.responses['200'], schemas).filter(
      name => name in variables,
    ),
  }
}

/** Ids that stand in a body are those of the requests before. */
function withVariables(
  value: Json,
  variables: Record<string, string>,
  leftOut: readonly string[] = [],
): Json {
  if (Array.isArray(value)) return value.map(one => withVariables(one, variables, leftOut))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries<Json>(value)
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, one]) => [name, name in variables ? `{{${name}}}` : withVariables(one, variables, leftOut)])
  return Object.fromEntries(entries)
}

function capturesOf({ content }: Json, schemas: Json): string[] {
  const envelope = schemas[nameOf(content['application/json']?.schema.$ref)]
  const data = schemas[nameOf(envelope?.properties.data?.$ref)]
  return Object.keys(data?.properties ?? {})
}

function nameOf(reference: string | undefined): string {
  return reference?.slice(reference.lastIndexOf('/') + 1) ?? ''
}
