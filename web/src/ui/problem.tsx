import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { problemOf, wholeProblem } from '../api/command.ts'

/** Why a command failed. What belongs to a field stands beside it, so only the rest is shown here. */
export function Problem({
  error,
  of,
  otherwise,
}: {
  error: Error | null
  /** A field that the form has nothing to show beside. */
  of?: string
  /** What to say when every problem stands beside its field. */
  otherwise?: string | undefined
}) {
  if (error === null) return null
  const text = wholeProblem(error) ?? (of === undefined ? undefined : problemOf(error, of)) ?? otherwise
  return text === undefined ? null : <ProblemAlert>{text}</ProblemAlert>
}

/** Something that failed, read out at once; its distance to what is around it is the same everywhere. */
export function ProblemAlert({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <Alert color="red" role="alert" className="problem" title={title}>
      {children}
    </Alert>
  )
}
