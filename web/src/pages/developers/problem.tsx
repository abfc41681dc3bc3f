import { Alert } from '@mantine/core'
import { wholeProblem } from '../../api/command.ts'

/** The server's error that belongs to no field. */
export function Problem({ error }: { error: Error | null }) {
  const whole = wholeProblem(error)
  if (whole === undefined) return null
  return (
    <Alert color="red" role="alert" my="sm">
      {whole}
    </Alert>
  )
}
