import { QueryClient } from '@tanstack/react-query'
import { ApiError, STILL_RUNNING } from './client.ts'

/** Only lost requests and server errors are retried; a refusal would be the same again. */
function isWorthRetrying(count: number, error: Error): boolean {
  return count < 2 && (!(error instanceof ApiError) || error.status >= 500 || error.code === STILL_RUNNING)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: isWorthRetrying, refetchOnWindowFocus: true },
    mutations: { retry: isWorthRetrying },
  },
})
