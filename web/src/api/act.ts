import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { say } from '../ui/toasts.tsx'
import { ApiError, OTHER_REQUEST, send, STILL_RUNNING, type Method } from './client.ts'
import { dropKey, keyFor } from './idempotency-key.ts'

type Act<Sent, Data> = {
  method: Method
  path: string | ((sent: Sent) => string)
  /** What is sent; the variables themselves if absent. */
  body?: (sent: Sent) => unknown
  /** Queries that show something else afterwards, by the beginning of their keys. */
  refreshes?: readonly string[]
  onDone?: (data: Data, sent: Sent) => void
}

type Request<Sent> = { sent: Sent; path: string; key: string }

type Performed<Sent, Data> = Pick<
  UseMutationResult<Data>,
  'data' | 'error' | 'isPending' | 'isSuccess' | 'reset'
> & {
  mutate: (sent: Sent) => void
  variables: Sent | undefined
}

/** A write. Its Idempotency-Key is chosen when it is asked for, so every retry of it carries the same one. */
export function useAct<Sent = void, Data = unknown>(act: Act<Sent, Data>): Performed<Sent, Data> {
  const client = useQueryClient()
  const refresh = (): Promise<unknown> =>
    Promise.all((act.refreshes ?? []).map(key => client.invalidateQueries({ queryKey: [key] })))
  const { data, error, isPending, isSuccess, reset, mutate, variables } = useMutation<
    Data,
    Error,
    Request<Sent>
  >({
    async mutationFn({ sent, path, key }) {
      const body = act.body === undefined ? sent : act.body(sent)
      const answer = await send<Data>(act.method, path, body, key)
      if (answer.isReplay) say('Your earlier request had gone through. It was not done a second time.')
      return answer.data
    },
    async onSuccess(done, { sent, path, key }) {
      dropKey(`${act.method} ${path}`, key)
      await refresh()
      act.onDone?.(done, sent)
    },
    async onError(failure, { path, key }) {
      if (isOutcomeUnknown(failure)) return
      dropKey(`${act.method} ${path}`, key)
      if (failure instanceof ApiError && failure.code === OTHER_REQUEST) await refresh()
    },
  })
  return {
    data,
    error,
    isPending,
    isSuccess,
    reset,
    variables: variables?.sent,
    mutate(sent) {
      const path = typeof act.path === 'string' ? act.path : act.path(sent)
      mutate({ sent, path, key: keyFor(`${act.method} ${path}`) })
    },
  }
}

/** Whether the request may have been carried out although we were not told so, or may be sent again as it is. */
function isOutcomeUnknown(failure: Error): boolean {
  if (!(failure instanceof ApiError)) return true
  return failure.status >= 500 || [401, 408, 429].includes(failure.status) || failure.code === STILL_RUNNING
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
