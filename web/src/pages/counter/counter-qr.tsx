import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CounterQrAnswer } from '../../../../src/console/counter/family.schemas.ts'
import { fileAddress, get } from '../../api/client.ts'
import { useCommand } from '../../api/command.ts'
import { useInstitutePath } from '../../api/session.ts'
import { formatRupees } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'

const LOOKS_EVERY_MS = 2_000

/** The code that the family scans; the page says by itself when the money has come. */
export function CounterQr({
  code,
  onPaid,
  onClosed,
}: {
  code: CounterQrAnswer
  onPaid: (paid: CounterQrAnswer) => void
  onClosed: () => void
}) {
  const path = `${useInstitutePath()}/counter/qr/${code.checkout_id}`
  const now = useQuery({
    queryKey: ['counter', path],
    queryFn: ({ signal }) => get<CounterQrAnswer>(path, {}, signal),
    refetchInterval: LOOKS_EVERY_MS,
    // The clerk looks at other windows while the family types its PIN.
    refetchIntervalInBackground: true,
  })
  const close = useCommand<Record<string, never>, CounterQrAnswer>({
    method: 'DELETE',
    path,
    refreshes: ['student', 'orders'],
    onDone: done => (done.state === 'paid' ? onPaid(done) : onClosed()),
  })
  const latest = now.data
  useEffect(() => {
    if (latest?.state === 'paid') onPaid(latest)
  }, [latest, onPaid])
  return (
    <section aria-label="Code to scan">
      <h2 className="section-title">{formatRupees(code.amount)} by phone</h2>
      <img
        src={fileAddress(`${path}/picture`)}
        alt={`QR code of ${code.url}`}
        width={320}
        height={320}
        className="qr"
      />
      {latest?.state === 'closed' ? (
        <Alert color="yellow" role="status" maw={480}>
          This code cannot be paid any more: the fees were paid otherwise, or it was taken back.
        </Alert>
      ) : (
        <p role="status">
          The family scans it with its phone’s camera and pays. This page says by itself when the money has
          come.
        </p>
      )}
      <Problem error={close.error} />
      <Group mt="md">
        <Button variant="default" loading={close.isPending} onClick={() => close.mutate({})}>
          Take it in another way
        </Button>
      </Group>
    </section>
  )
}
