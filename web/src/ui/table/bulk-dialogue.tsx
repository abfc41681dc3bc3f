import { Button, Group, Progress } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from '../problem.tsx'
import { Dialogue } from '../dialogue/dialogue.tsx'
import { counted, formatCount } from '../money.tsx'
import type { PickedRows } from './list-parts.tsx'
import { useBulk, type Bulk, type BulkRun } from './use-bulk.ts'

type Props = {
  title: string
  description: ReactNode
  /** What the button does, as a verb. */
  verb: string
  /** What it was, said of how many it was done to: `links cancelled`. */
  done: readonly [one: string, many: string]
  isDangerous?: boolean
  picked: PickedRows
  run: BulkRun
  /** What else the act takes; null when something of it is missing. */
  body: () => Record<string, unknown> | null
  onClose: () => void
  children?: ReactNode
}

/** An act on several rows: asks, shows how far it is, and says what was left out and why. */
export function BulkDialogue(props: Props) {
  const { title, description, verb, done, isDangerous = false, picked, run, body, onClose, children } = props
  const bulk = useBulk(run)
  const start = (): void => {
    const more = body()
    if (more !== null) void bulk.start(picked, more)
  }
  return (
    <Dialogue onClose={onClose} title={title} isKept={bulk.isRunning}>
      {bulk.total === null ? (
        <form
          onSubmit={event => {
            event.preventDefault()
            start()
          }}
        >
          <p>{description}</p>
          {children}
          <Problem error={bulk.error} otherwise={bulk.error?.message} />
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={bulk.isRunning} color={isDangerous ? 'red.8' : 'bursar'}>
              {verb}
            </Button>
          </Group>
        </form>
      ) : (
        <>
          <Outcome bulk={bulk} total={bulk.total} done={done} />
          <Problem error={bulk.error} otherwise={bulk.error?.message} />
          <Group justify="flex-end" mt="md">
            {bulk.error !== null && (
              <Button loading={bulk.isRunning} onClick={() => void bulk.goOn()}>
                Go on with the rest
              </Button>
            )}
            <Button variant="default" disabled={bulk.isRunning} onClick={onClose}>
              Close
            </Button>
          </Group>
        </>
      )}
    </Dialogue>
  )
}

function Outcome({ bulk, total, done }: { bulk: Bulk; total: number } & Pick<Props, 'done'>) {
  const { handled, isRunning, leftOut } = bulk
  const byReason = [...Map.groupBy(leftOut, one => one.why)]
  return (
    <>
      <Progress
        value={total === 0 ? 100 : (handled / total) * 100}
        aria-label={`${formatCount(handled)} of ${formatCount(total)}`}
      />
      <p role="status">
        {isRunning && `${formatCount(handled)} of ${formatCount(total)} … `}
        {!isRunning && <strong>{`${counted(bulk.done, ...done)}. `}</strong>}
        {!isRunning && leftOut.length > 0 && `${formatCount(leftOut.length)} left out:`}
      </p>
      {byReason.map(([why, some]) => (
        <p key={why}>
          {why}{' '}
          <span className="faint">
            {some
              .slice(0, MOST_NAMED)
              .map(one => one.name)
              .join(', ')}
            {some.length > MOST_NAMED && ` and ${formatCount(some.length - MOST_NAMED)} more`}
          </span>
        </p>
      ))}
    </>
  )
}

const MOST_NAMED = 10
