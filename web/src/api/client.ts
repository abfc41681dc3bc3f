import { markOf } from './cell-mark.ts'

/** Client of the console's API: cookie, CSRF token and envelope. */
export type Problem = { key: string; message: string }

/** Codes of the Idempotency-Key, whose own messages are for developers. */
export const OTHER_REQUEST = 'IDE00000'
export const STILL_RUNNING = 'IDE00001'
const PLAIN: Readonly<Record<string, string>> = {
  [OTHER_REQUEST]:
    'An earlier request from this form succeeded, although its response was lost. Your new request differs from it and was not carried out. Check what is recorded, then send it again if you still want it.',
  [STILL_RUNNING]: 'Your first request is still being processed. Wait a moment, then try again.',
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly problems: readonly Problem[]
  readonly requestId: string | undefined

  constructor(status: number, body: ErrorBody) {
    super(
      PLAIN[body.code ?? ''] ??
        body.message ??
        'The server sent an unexpected response. Try again in a moment.',
    )
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

let onRefused: () => void = () => {}

/** Called when the server says that somebody may not: their role, or what is asked of them, may have changed. */
export function whenRefused(listener: () => void): void {
  onRefused = listener
}

/** Called when the server says that the session has ended. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

export async function get<Data>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Data> {
  return (await readBody<Data>(await call('GET', path + textOf(query), { signal: signal ?? null }))).data
}

export async function list<Row>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Page<Row>> {
  const body = await readBody<Row[]>(await call('GET', path + textOf(query), { signal: signal ?? null }))
  return { rows: body.data, nextCursor: body.next_cursor }
}

/** A replay is the stored response to an earlier request with the same key. */
export type SentResponse<Data> = { data: Data; isReplay: boolean }

/** A file is sent as it is, its name in the query; anything else as JSON. */
export async function send<Data>(
  method: Method,
  path: string,
  body: unknown,
  key?: string,
): Promise<SentResponse<Data>> {
  const headers = { 'x-csrf': csrf, ...(key === undefined ? {} : { 'idempotency-key': key }) }
  const init =
    body instanceof File
      ? { headers: { ...headers, 'content-type': body.type || 'application/octet-stream' }, body }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) }
  const response = await call(method, body instanceof File ? named(path, body.name) : path, init)
  const { data } = await readBody<Data>(response)
  return { data, isReplay: response.headers.get('idempotent-replayed') === 'true' }
}

function named(path: string, name: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ name }).toString()}`
}

/** Where a file of the API is, for what a browser opens by itself. */
export function fileAddress(path: string): string {
  return BASE + path
}

/** Saves a file of the API and returns its name; `onBytes` hears how much of it has come. */
export async function download(
  path: string,
  query: Query = {},
  onBytes?: (bytes: number) => void,
): Promise<string> {
  const response = await call('GET', path + textOf(query), {})
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'export'
  const url = URL.createObjectURL(await readBlob(response, onBytes))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
  return name
}

async function readBlob(response: Response, onBytes: (bytes: number) => void = () => {}): Promise<Blob> {
  let bytes = 0
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes((bytes += chunk.length))
        controller.enqueue(chunk)
      },
    }),
  )
  const type = response.headers.get('content-type') ?? ''
  return new Response(counted, { headers: { 'content-type': type } }).blob()
}

async function call(method: string, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...markOf(path), ...(init.headers as Record<string, string> | undefined) }
  const response = await fetch(BASE + path, { method, credentials: 'same-origin', ...init, headers })
  if (response.ok) return response
  if (response.status === 401 && !path.startsWith('/session')) onSignedOut()
  if (response.status === 403) onRefused()
  throw new ApiError(response.status, await readBody(response).catch(() => ({})))
}

/** Throws when the body is cut short: that response counts as lost, whatever its status. */
async function readBody<Data>(response: Response): Promise<Envelope<Data>> {
  return (await response.json()) as Envelope<Data>
}

function textOf(query: Query): string {
  const sent = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`
}
