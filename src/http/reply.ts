import type { Page } from '../platform/db/list.ts'
import type { BursarError } from '../platform/errors.ts'
import type { JsonSchema } from '../platform/json.rules.ts'

/**
 * What a route answers with, named once by its output: how the result becomes the envelope, and the schema and example of
 * that by status. `Asker` is who asked, where the answer depends on it.
 */
export type Reply<Result, Asker = unknown> = {
  readonly answers: Partial<Record<200 | 201, AnswerDocs>>
  readonly toSuccess: (result: Result, asker: Asker) => Success
}

/** An output of wire/output.ts; `Context` is what it reads beside its source, such as the time. */
type Writer<Source, Context> = {
  readonly schema: AnswerDocs['data'] & object
  readonly example: unknown
  toJson(this: void, source: Source, context: Context): unknown
}

type ContextOf<Context, Asker> = [Context] extends [void] ? [] : [context: (asker: Asker) => Context]

export const done: Reply<unknown> = { answers: { 200: answer('Done.') }, toSuccess: () => ok() }

export function one<Source, Context = void, Asker = unknown>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context, Asker>
): Reply<Source, Asker> {
  return {
    answers: { 200: answer('As it is now.', output) },
    toSuccess: (source, asker) => ok(output.toJson(source, context?.(asker) as Context)),
  }
}

export function created<Source, Context = void, Asker = unknown>(
  output: Writer<Source, Context>,
  ...context: ContextOf<Context, Asker>
): Reply<Source, Asker> {
  return as201(one(output, ...context))
}

function as201<Result, Asker>({ answers, toSuccess }: Reply<Result, Asker>): Reply<Result, Asker> {
  return {
    answers: { 201: { ...answers[200], description: 'Created.' } as AnswerDocs },
    toSuccess: (result, asker) => ({ ...toSuccess(result, asker), httpStatus: 201 }),
  }
}

/** 201 for what is new, 200 for what was there before. */
export function createdIfNew<Source>(output: Writer<Source, void>): Reply<Source & { isNew: boolean }> {
  const [fresh, known] = [created(output), one(output)]
  return {
    answers: { ...known.answers, ...fresh.answers },
    toSuccess: (source, asker) => (source.isNew ? fresh : known).toSuccess(source, asker),
  }
}

export function all<Source, Context = void, Asker = unknown>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context, Asker>
): Reply<readonly Source[], Asker> {
  return {
    answers: { 200: answerAll('All of them.', output) },
    toSuccess(sources, asker) {
      const beside = context?.(asker) as Context
      return ok(sources.map(source => output.toJson(source, beside)))
    },
  }
}

export function createdAll<Source>(output: Writer<Source, void>): Reply<readonly Source[]> {
  return as201(all(output))
}

export function pageOf<Source, Context = void, Asker = unknown>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context, Asker>
): Reply<Page<Source>, Asker> {
  return {
    answers: { 200: answerPage(output) },
    toSuccess({ rows, nextCursor }, asker) {
      const beside = context?.(asker) as Context
      return page(
        rows.map(row => output.toJson(row, beside)),
        nextCursor,
      )
    },
  }
}

/** The same of a result that is more than what is answered, or from which the output's source is made. */
export function from<Result, Source, Asker>(
  { answers, toSuccess }: Reply<Source, Asker>,
  toSource: (result: Result) => Source,
): Reply<Result, Asker> {
  return { answers, toSuccess: (result, asker) => toSuccess(toSource(result), asker) }
}

/** Makes the source of each row of a page; to be used with `from`. */
export function eachRow<Row, Source>(toSource: (row: Row) => Source): (found: Page<Row>) => Page<Source> {
  return ({ rows, nextCursor }) => ({ rows: rows.map(toSource), nextCursor })
}

/** The same with a remark for a person, where there is one; the reference shows the example. */
export function remarked<Result, Asker>(
  { answers, toSuccess }: Reply<Result, Asker>,
  remarkOn: (result: Result) => string | undefined,
  example?: string,
): Reply<Result, Asker> {
  const remark = example === undefined ? {} : { remark: example }
  const entries = Object.entries(answers).map(([status, docs]) => [status, { ...docs, ...remark }])
  return {
    answers: Object.fromEntries(entries) as Reply<Result>['answers'],
    toSuccess: (result, asker) => ({ ...toSuccess(result, asker), message: remarkOn(result) }),
  }
}

/** A success as a route states it; the envelope around it is the same everywhere. */
type Success = {
  httpStatus: 200 | 201
  data?: unknown
  /** A remark for a person, such as what was sent and not applied. */
  message?: string | undefined
  page?: { hasMore: boolean; nextCursor: string | undefined }
}

export function ok(data?: unknown): Success {
  return { httpStatus: 200, data }
}

/** `data` is the page, or an object that has it in one of its fields. */
export function page(data: object, nextCursor: string | undefined): Success {
  return { httpStatus: 200, data, page: { hasMore: nextCursor !== undefined, nextCursor } }
}

/** The body as it goes over the wire; JSON leaves out what is undefined, so absent data is absent. */
export function successBody(success: Success): string {
  return JSON.stringify({
    status: 'success',
    data: success.data,
    message: success.message,
    has_more: success.page?.hasMore,
    next_cursor: success.page?.nextCursor,
  })
}

export function errorBody(error: BursarError, requestId: string): string {
  return JSON.stringify({
    status: 'error',
    code: error.code,
    message: error.message,
    errors: error.problems,
    data: error.data,
    request_id: requestId,
  })
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** What an operation answers with, as the reference tells it: schema and example of an output in our envelope. */
export type AnswerDocs = {
  description: string
  /** The schema of `data`; absent when there is none. */
  data?: JsonSchema
  isList?: boolean
  /** An example of the `message` that may stand beside it. */
  remark?: string
  example: object
}

type DescribedOutput = { readonly schema: JsonSchema; readonly example: unknown }

export function answer(description: string, output?: DescribedOutput): AnswerDocs {
  if (output === undefined) return { description, example: { status: 'success' } }
  return { description, data: output.schema, example: { status: 'success', data: output.example } }
}

function answerAll(description: string, output: DescribedOutput): AnswerDocs {
  return {
    description,
    data: { type: 'array', items: output.schema },
    example: { status: 'success', data: [output.example] },
  }
}

/** The page and the `next_cursor` by which the next one is asked for. */
function answerPage(output: DescribedOutput): AnswerDocs {
  return {
    description: 'A page.',
    data: { type: 'array', items: output.schema },
    isList: true,
    example: { status: 'success', data: [output.example], has_more: true, next_cursor: cursorOf(output) },
  }
}

/** Outputs begin with the id of their noun, which is the cursor of most lists. */
function cursorOf({ example }: DescribedOutput): string {
  const [first] = Object.values(example as object)
  return typeof first === 'string' ? first : 'next'
}
