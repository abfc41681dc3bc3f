import { Button } from '@mantine/core'
import { useState } from 'react'
import { download, type Query } from '../../api/client.ts'
import { notify } from '../toasts.tsx'

/** Saves files that the server makes, and says under which name, or what went wrong; `busy` is the one being made. */
export function useSaveFile() {
  const [busy, setBusy] = useState<string | null>(null)
  const save = async (path: string, query: Query, name = path): Promise<void> => {
    setBusy(name)
    try {
      notify(`Saved as ${await download(path, query)}`)
    } catch (error) {
      notify(error instanceof Error ? error.message : 'The file could not be made. Try again in a moment.')
    } finally {
      setBusy(null)
    }
  }
  return { busy, save }
}

type Props = {
  path: string
  sent: Query
  /** What stands before the format on each button; without it the format stands alone. */
  label?: string
  /** What the files are of, for who does not see the row that the buttons stand in. */
  of?: string
}

/** A sheet to print or to work with: a button for each format. */
export function SheetButtons({ path, sent, label, of }: Props) {
  const { busy, save } = useSaveFile()
  return (['pdf', 'xlsx'] as const).map(format => {
    const name = format.toUpperCase()
    return (
      <Button
        key={format}
        size="xs"
        variant="default"
        loading={busy === format}
        aria-label={of === undefined ? undefined : `${name} of ${of}`}
        onClick={() => void save(path, { ...sent, format }, format)}
      >
        {label === undefined ? name : `${label} (${name})`}
      </Button>
    )
  })
}
