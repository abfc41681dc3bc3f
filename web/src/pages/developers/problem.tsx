import { Alert } from '@mantine/core'
import { wholeProblem } from '../../api/act.ts'

/** What the server said of an act that no field is to blame for. */
export function Problem({ error }: { error: Error | null }) {
  const whole = wholeProblem(error)
  if (whole === undefined) return null
  return (
    <Alert color="red" role="alert" my="sm">
      {whole}
    </Alert>
  )
}
