/** Speaks to the console's API: cookie, token and envelope in one place. */
export type Problem = { key: string; message: string }

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly problems: readonly Problem[]
  readonly requestId: string | undefined

  constructor(status: number, body: ErrorBody) {
    super(body.message ?? 'The server did not answer as expected. Try again in a moment.')
    this.status = status
    this.code = body.code ?? 'unknown'
    this.problems = body.errors ?? []
    this.requestId = body.request_id
  }
}

type ErrorBody = { code?: string; message?: string; errors?: Problem[]; request_id?: string }
type Envelope<Data> = ErrorBody & { data: Data; has_more?: boolean; next_cursor?: string }

export type Page<Row> = { rows: Row[]; nextCursor: string | undefined }
export type Query = Readonly<Record<string, string | undefined>>
export type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

const BASE = '/console/api'

let csrf = ''
let onSignedOut: () => void = () => {}

export function setToken(token: string | undefined): void {
  csrf = token ?? ''
}

/** Told when the server says that the session is over. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act
}

export async function get<Data>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Data> {
  return (await call<Data>('GET', path + textOf(query), { signal: signal ?? null })).data
}

export async function list<Row>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Page<Row>> {
  const body = await call<Row[]>('GET', path + textOf(query), { signal: signal ?? null })
  return { rows: body.data, nextCursor: body.next_cursor }
}

/** The key makes it safe to send the same act again when no answer came. */
export async function send<Data>(method: Method, path: string, body: unknown, key: string): Promise<Data> {
  const headers = { 'content-type': 'application/json', 'x-csrf': csrf, 'idempotency-key': key }
  return (await call<Data>(method, path, { headers, body: JSON.stringify(body ?? {}) })).data
}

/** The file itself is the body; what it is called stands in the query. */
export async function sendFile<Data>(path: string, file: File, key: string): Promise<Data> {
  const headers = {
    'content-type': file.type === '' ? 'application/octet-stream' : file.type,
    'x-csrf': csrf,
    'idempotency-key': key,
  }
  return (await call<Data>('POST', path + textOf({ name: file.name }), { headers, body: file })).data
}

/** Where a file of the API is, for what a browser opens by itself. */
export function fileAddress(path: string): string {
  return BASE + path
}

/** Saves a file of the API; answers its name. What is wrong is thrown, not saved. */
export async function download(path: string, query: Query = {}): Promise<string> {
  const response = await fetch(BASE + path + textOf(query), { credentials: 'same-origin' })
  if (!response.ok) {
    if (response.status === 401) onSignedOut()
    throw new ApiError(response.status, await readBody(response))
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'export'
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return name
}

async function call<Data>(method: string, path: string, init: RequestInit): Promise<Envelope<Data>> {
  const response = await fetch(BASE + path, { method, credentials: 'same-origin', ...init })
  const body = await readBody<Data>(response)
  if (response.ok) return body
  if (response.status === 401 && path !== '/session') onSignedOut()
  throw new ApiError(response.status, body)
}

async function readBody<Data>(response: Response): Promise<Envelope<Data>> {
  try {
    return (await response.json()) as Envelope<Data>
  } catch {
    return { data: undefined as Data }
  }
}

function textOf(query: Query): string {
  const sent = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`
}
