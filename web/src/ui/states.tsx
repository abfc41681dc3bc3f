import { Alert, Button, Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'

/** Loading, empty and error states. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div className="state" role="status">
      <Loader size="sm" aria-hidden="true" />
      <div className="faint">{what}…</div>
    </div>
  )
}

const LINES = 8

/** A table that is coming, about as high as it will be. */
export function LoadingRows({ what }: { what: string }) {
  return (
    <div className="table-frame loading-rows" role="status">
      <span className="visually-hidden">{what}…</span>
      {Array.from({ length: LINES }, (_, line) => (
        <div key={line} className="skeleton" />
      ))}
    </div>
  )
}

/** Explains what the page will show and how to get there. */
export function Empty({
  title,
  description,
  action,
}: {
  title: string
  description: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="state">
      <h2>{title}</h2>
      <p>{description}</p>
      {action}
    </div>
  )
}

export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const isOurs = error instanceof ApiError
  return (
    <Alert color="red" title="This could not be loaded" role="alert" my="md">
      <p>{isOurs ? error.message : 'The server cannot be reached. Check your connection.'}</p>
      {isOurs && error.requestId !== undefined && (
        <p className="faint">
          Quote this when you ask for help: <span className="mono">{error.requestId}</span>
        </p>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** The shell has the main element already. */
type FramePlace = { isInside?: boolean }

export function LoadingPage({ isInside = false }: FramePlace) {
  const Frame = isInside ? 'div' : 'main'
  return (
    <Frame>
      <h1 className="visually-hidden">Bursar</h1>
      <Loading />
    </Frame>
  )
}

export function FailedPage({ error, isInside = false }: FramePlace & { error: unknown }) {
  const Frame = isInside ? 'div' : 'main'
  return (
    <Frame className="state">
      <h1>This page could not be opened</h1>
      <Failed
        error={error instanceof Error ? error : new Error(String(error))}
        retry={() => location.reload()}
      />
    </Frame>
  )
}

export function NotFoundPage() {
  return (
    <main className="state">
      <h1>Page not found</h1>
      <p>The address may be mistyped, or the page no longer exists.</p>
      <a href="/console">Go to the home page</a>
    </main>
  )
}
