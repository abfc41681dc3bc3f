import { Anchor, Group } from '@mantine/core'
import { fileAddress } from '../api/client.ts'
import { useInstitutePath } from '../api/session.ts'

const PAPERS = [
  { paper: 'a4', label: 'A4' },
  { paper: 'a5', label: 'A5' },
  { paper: '80mm', label: '80 mm roll' },
] as const

/** Opens the receipt as PDF in the size of the office's printer; the duplicate is marked as one. */
export function PrintReceipt({ number }: { number: string }) {
  const file = `${useInstitutePath()}/money/receipts/${number.replace('/', '-')}/pdf`
  const link = (query: string, label: string) => (
    <Anchor key={query} href={fileAddress(file + query)} target="_blank" rel="noreferrer">
      {label}
    </Anchor>
  )
  return (
    <Group gap="sm">
      <span>Print:</span>
      {PAPERS.map(({ paper, label }) => link(`?paper=${paper}`, label))}
      {link('?copy=duplicate', 'Duplicate copy')}
    </Group>
  )
}
