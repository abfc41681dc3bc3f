import { createHash, randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Scope } from '../institutes/institutes.rules.ts'
import { assert } from '../platform/assert.ts'
import { badRequest, BursarError } from '../platform/errors.ts'
import type { Context } from '../platform/context.ts'
import type { Command } from '../platform/idempotency.ts'
import { FILES, ROW_FILES, type FileKind } from '../platform/limits.rules.ts'
import { callerOf } from './auth.ts'
import { cutShort, isGone, type Upload, type Uploader } from './limits/bodies.ts'
import { answerBy, answerCommand, compileCall, NOTHING, readIdempotency } from './endpoint.ts'
import type { Reply } from './reply.ts'
import { documentUpload, type EndpointDocs } from './openapi/operation.ts'
import type { AnyInput, Read } from './wire/input.ts'

/** Operations that take a file as their body, of any size up to the limit of its kind. */
declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends a file; said before its body is read. */
    uploader: Uploader | null
    upload: Upload | null
  }
  interface FastifyInstance {
    /** The kind of file that the scope receives. */
    fileKind: FileKind
  }
  interface FastifyContextConfig {
    /** The kind of file that is the body of this route. */
    file?: FileKind
  }
}

/** A body that has arrived whole. It lies on disk, under no name: whatever becomes of us, nothing is left of it. */
export class ReceivedFile {
  readonly bytes: number
  readonly digest: Buffer
  readonly #handle: FileHandle

  constructor(handle: FileHandle, { bytes, digest }: { bytes: number; digest: Buffer }) {
    this.#handle = handle
    this.bytes = bytes
    this.digest = digest
  }

  async read(from: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.bytes - from))
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(wanted), 0, wanted, from)
    return buffer.subarray(0, bytesRead)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

type UploadEndpoint<Query extends AnyInput, Result> = {
  url: string
  scope: Scope
  docs: EndpointDocs
  query: Query
  /** The types of files, as the reference names them. */
  mediaTypes: readonly string[]
  perform(
    command: Command<Result>,
    call: { query: Read<Query>; file: ReceivedFile; caller: Caller },
  ): Promise<Result>
  output: Reply<Result, Caller>
}

/** Needs a scope of its own, whose bodies are not parsed. Routes say whose file it is in `onRequest`. */
export function receiveFiles(scope: FastifyInstance, kind: FileKind): void {
  scope.decorate('fileKind', kind)
  scope.removeAllContentTypeParsers()
  scope.addHook('preParsing', async (request, reply: FastifyReply) => {
    if (request.uploader === null) throw new Error('the route does not say whose file it is')
    // What is refused is not read to its end.
    reply.header('connection', 'close')
    if (Number(request.headers['content-length'] ?? 0) > FILES[kind].bytes) throw tooLarge(kind)
    if (isGone(request)) throw cutShort()
    const upload = scope.uploads.begin(request.uploader)
    request.upload = upload
    // However it ends, and whenever its sender goes away: hooks of the framework may have run by then.
    reply.raw.once('close', () => {
      upload.end()
      if (request.body instanceof ReceivedFile) void request.body.close().catch(() => {})
    })
    await upload.admit()
  })
  scope.addHook('preValidation', async (_request, reply) => void reply.removeHeader('connection'))
  scope.addContentTypeParser('*', (request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
    receive(request, payload, kind),
  )
}

function tooLarge(kind: FileKind): BursarError {
  const megabytes = FILES[kind].bytes / 1_000_000
  const advice = kind in ROW_FILES ? 'Split it into several.' : 'Choose a smaller one.'
  return new BursarError('HUE00004', `The file is larger than ${megabytes} MB. ${advice}`)
}

export function addUpload<Query extends AnyInput, Result>(
  scope: FastifyInstance,
  ctx: Context,
  endpoint: UploadEndpoint<Query, Result>,
): void {
  const readCall = compileCall<unknown, Read<Query>, unknown>({ query: endpoint.query, body: NOTHING })
  scope.route({
    method: 'POST',
    url: endpoint.url,
    config: { scope: endpoint.scope, file: scope.fileKind },
    schema: documentUpload({ ...endpoint, ...endpoint.output, maxBytes: FILES[scope.fileKind].bytes }),
    onRequest: async request => {
      const { keyId, institute } = callerOf(request)
      request.uploader = { key: keyId, instituteId: institute.id }
    },
    handler: (request, reply) => {
      const caller = callerOf(request)
      const answerOf = answerBy(endpoint.output, caller)
      const idempotency = readIdempotency(request, answerOf)
      const command: Command<Result> = { instituteId: caller.institute.id, idempotency }
      return answerCommand(ctx, command, { request, reply, answerOf }, async () => {
        const { query } = readCall(request)
        return endpoint.perform(command, { query, file: fileOf(request), caller })
      })
    },
  })
}

const TEXT_OR_SHEET =
  /^\s*(text\/(csv|plain|tab-separated-values)|application\/(csv|octet-stream|vnd\.ms-excel|zip|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet))\s*(;.*)?$/i

/** A route that takes no sheets, but PDFs or pictures, takes nothing else. */
export function fileOf(request: FastifyRequest, mediaTypes: readonly string[] = []): ReceivedFile {
  const { body, declaredType } = request
  if (!(body instanceof ReceivedFile) || body.bytes === 0)
    throw badRequest('The body is empty. Send the file itself as the body.')
  if (mediaTypes.length > 0 && !mediaTypes.includes('text/csv')) {
    const declared = declaredType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (mediaTypes.includes(declared)) return body
    throw badRequest(
      `Send the file itself as the body, with the header Content-Type: ${mediaTypes.join(' or ')}. Convert a file of another type first.`,
    )
  }
  if (declaredType !== undefined && !TEXT_OR_SHEET.test(declaredType))
    throw badRequest(
      'Send the file itself as the body, with the header Content-Type: text/csv or that of an XLSX file.',
    )
  return body
}

async function receive(
  { upload }: FastifyRequest,
  payload: AsyncIterable<Buffer>,
  kind: FileKind,
): Promise<ReceivedFile> {
  assert(upload !== null, 'it was begun before its body is parsed')
  const path = join(tmpdir(), `bursar-upload-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    const hash = createHash('sha256')
    let bytes = 0
    const chunks = payload[Symbol.asyncIterator]()
    // The loop calls next() itself: leaving a for-of loop would close the connection, and the answer could not be sent.
    for (
      let step = await upload.next(chunks.next());
      step.done !== true;
      step = await upload.next(chunks.next())
    ) {
      bytes += step.value.length
      upload.took(step.value.length, performance.now())
      if (bytes > FILES[kind].bytes) throw tooLarge(kind)
      hash.update(step.value)
      await handle.writeFile(step.value)
    }
    upload.arrived()
    // Whoever would close the file has come and gone.
    if (upload.isOver) throw cutShort()
    return new ReceivedFile(handle, { bytes, digest: hash.digest() })
  } catch (error) {
    await handle.close()
    throw error instanceof BursarError || isSystemError(error) ? error : cutShort()
  }
}

/** Such as a full disk, which is our fault; a caller that went away is not. */
function isSystemError(error: unknown): boolean {
  return (
    error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).code !== 'ECONNRESET'
  )
}
