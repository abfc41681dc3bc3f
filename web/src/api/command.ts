import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { notify } from '../ui/toasts.tsx'
import { ApiError, OTHER_REQUEST, send, STILL_RUNNING, type Method } from './client.ts'
import { dropKey, keyFor } from './idempotency-key.ts'
import { PasskeyError } from './passkeys.ts'

type Command<Sent, Data> = {
  method: Method
  path: string | ((sent: Sent) => string)
  /** Set for signing in and for requests with a secret, whose answers the server refuses to remember. */
  withoutKey?: true
  /** What is sent; the variables themselves if absent. */
  body?: (sent: Sent) => unknown
  /** Queries to refresh afterwards, by the first part of their keys. */
  refreshes?: readonly string[]
  onDone?: (data: Data, sent: Sent) => void
}

type Request<Sent> = { sent: Sent; path: string; key: string | undefined }

type Performed<Sent, Data> = Pick<
  UseMutationResult<Data>,
  'data' | 'error' | 'isPending' | 'isSuccess' | 'reset'
> & {
  mutate: (sent: Sent) => void
  variables: Sent | undefined
}

/** A write. Its Idempotency-Key is chosen on submit, so every retry carries the same one. */
export function useCommand<Sent = void, Data = unknown>(command: Command<Sent, Data>): Performed<Sent, Data> {
  const client = useQueryClient()
  const refresh = (): Promise<unknown> =>
    Promise.all((command.refreshes ?? []).map(key => client.invalidateQueries({ queryKey: [key] })))
  const { data, error, isPending, isSuccess, reset, mutate, variables } = useMutation<
    Data,
    Error,
    Request<Sent>
  >({
    async mutationFn({ sent, path, key }) {
      const body = command.body === undefined ? sent : command.body(sent)
      const answer = await send<Data>(command.method, path, body, key)
      if (answer.isReplay) notify('Your earlier request had succeeded. It was not repeated.')
      return answer.data
    },
    async onSuccess(done, { sent, path, key }) {
      dropKey(`${command.method} ${path}`, key)
      await refresh()
      command.onDone?.(done, sent)
    },
    async onError(failure, { path, key }) {
      if (isOutcomeUnknown(failure)) return
      dropKey(`${command.method} ${path}`, key)
      // The page shows an old state: somebody else changed it meanwhile.
      if (failure instanceof ApiError && (failure.code === OTHER_REQUEST || failure.status === 409))
        await refresh()
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
      const path = typeof command.path === 'string' ? command.path : command.path(sent)
      mutate({ sent, path, key: command.withoutKey ? undefined : keyFor(`${command.method} ${path}`) })
    },
  }
}

/** Whether the request may have been carried out, or may be sent again unchanged. */
function isOutcomeUnknown(failure: Error): boolean {
  if (!(failure instanceof ApiError)) return true
  return failure.status >= 500 || [401, 408, 429].includes(failure.status) || failure.code === STILL_RUNNING
}

/** The server's error for a field. */
export function problemOf(error: Error | null, key: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const message = error.problems.find(problem => problem.key === key)?.message
  return message === undefined ? undefined : message.charAt(0).toUpperCase() + message.slice(1)
}

/** The server's errors of fields. */
export function problemsOf(error: Error | null): readonly { key: string; message: string }[] {
  return error instanceof ApiError ? error.problems : []
}

/** The server's error that belongs to no field. */
export function wholeProblem(error: Error | null): string | undefined {
  if (error === null || (error instanceof ApiError && error.problems.length > 0)) return undefined
  if (error instanceof ApiError || error instanceof PasskeyError) return error.message
  return 'The server cannot be reached. Check your connection.'
}
