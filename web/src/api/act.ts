import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { ApiError, send, type Method } from './client.ts'

type Act<Sent, Data> = {
  method: Method
  path: string | ((sent: Sent) => string)
  /** What is sent; the variables themselves if absent. */
  body?: (sent: Sent) => unknown
  /** Queries that show something else afterwards, by the beginning of their keys. */
  refreshes?: readonly string[]
  onDone?: (data: Data, sent: Sent) => void
}

/** A write: each press of a button is one act, whose repetition changes nothing. */
export function useAct<Sent = void, Data = unknown>(
  act: Act<Sent, Data>,
): UseMutationResult<Data, Error, Sent> {
  const client = useQueryClient()
  return useMutation<Data, Error, Sent>({
    mutationFn: sent => {
      const path = typeof act.path === 'string' ? act.path : act.path(sent)
      const body = act.body === undefined ? sent : act.body(sent)
      return send<Data>(act.method, path, body, keyOf(sent))
    },
    async onSuccess(data, sent) {
      await Promise.all((act.refreshes ?? []).map(key => client.invalidateQueries({ queryKey: [key] })))
      act.onDone?.(data, sent)
    },
  })
}

const keys = new WeakMap<object, string>()

/** The same for retries of one press, which hand the same variables over. */
export function keyOf(sent: unknown): string {
  if (typeof sent !== 'object' || sent === null) return newKey()
  const key = keys.get(sent) ?? newKey()
  keys.set(sent, key)
  return key
}

/** Not randomUUID, which a browser has over https and on localhost only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** What the server said of a field, for the place beside it. */
export function problemOf(error: Error | null, key: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const message = error.problems.find(problem => problem.key === key)?.message
  return message === undefined ? undefined : message.charAt(0).toUpperCase() + message.slice(1)
}

/** What the server said of the whole, when no field is to blame. */
export function wholeProblem(error: Error | null): string | undefined {
  if (error === null || (error instanceof ApiError && error.problems.length > 0)) return undefined
  return error instanceof ApiError ? error.message : 'The server cannot be reached. Check the connection.'
}
