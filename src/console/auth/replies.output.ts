import { ok, page, type Success } from '../../http/envelope.ts'
import { answer, answerAll, answerPage, type AnswerDocs } from '../../http/wire/answers.ts'
import type { Page } from '../../platform/db/list.ts'

/** What a route of the console answers with: how its result becomes the envelope, and the schema of that. */
export type Reply<Result> = {
  readonly httpStatus: 200 | 201
  readonly docs: AnswerDocs
  readonly toSuccess: (result: Result) => Success
}

/** An output of http/wire/output.ts; `Context` is what it reads beside its source, such as the time. */
type Writer<Source, Context> = {
  readonly schema: AnswerDocs['data'] & object
  readonly example: unknown
  toJson(this: void, source: Source, context: Context): unknown
}

type ContextOf<Context> = [Context] extends [void] ? [] : [context: () => Context]

export const done: Reply<unknown> = { httpStatus: 200, docs: answer('Done.'), toSuccess: () => ok() }

export function one<Source, Context = void>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context>
): Reply<Source> {
  const toSuccess = (source: Source): Success => ok(output.toJson(source, context?.() as Context))
  return { httpStatus: 200, docs: answer('As it is now.', output), toSuccess }
}

export function created<Source, Context = void>(
  output: Writer<Source, Context>,
  ...context: ContextOf<Context>
): Reply<Source> {
  return as201(one(output, ...context))
}

function as201<Result>({ docs, toSuccess }: Reply<Result>): Reply<Result> {
  return { httpStatus: 201, docs, toSuccess: result => ({ ...toSuccess(result), httpStatus: 201 }) }
}

export function createdAll<Source>(output: Writer<Source, void>): Reply<readonly Source[]> {
  return as201(all(output))
}

/** The same of a result that is more than what is answered, and may leave a remark for a person. */
export function from<Result, Source>(
  reply: Reply<Source>,
  toSource: (result: Result) => Source,
  remarkOn?: (result: Result) => string | undefined,
): Reply<Result> {
  return {
    ...reply,
    toSuccess: result => ({ ...reply.toSuccess(toSource(result)), message: remarkOn?.(result) }),
  }
}

export function all<Source, Context = void>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context>
): Reply<readonly Source[]> {
  const toSuccess = (sources: readonly Source[]): Success =>
    ok(sources.map(source => output.toJson(source, context?.() as Context)))
  return { httpStatus: 200, docs: answerAll('All of them.', output), toSuccess }
}

export function pageOf<Source, Context = void>(
  output: Writer<Source, Context>,
  ...[context]: ContextOf<Context>
): Reply<Page<Source>> {
  const toSuccess = ({ rows, nextCursor }: Page<Source>): Success =>
    page(
      rows.map(row => output.toJson(row, context?.() as Context)),
      nextCursor,
    )
  return { httpStatus: 200, docs: answerPage(output, 'next'), toSuccess }
}
