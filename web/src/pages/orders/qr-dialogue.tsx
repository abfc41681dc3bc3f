import { Button, Group } from '@mantine/core'
import { Dialogue } from '../../ui/dialogue/dialogue.tsx'
import { CopyButton } from '../../ui/link/copy-button.tsx'

/** A QR code to be shown on a screen or printed. `path` is where the API draws it. */
export function QrDialogue({
  path,
  url,
  name,
  opens = 'the payment page',
  onClose,
}: {
  path: string
  url: string
  name: string
  /** What a phone that scans it opens. */
  opens?: string
  onClose: () => void
}) {
  const address = `/console/api${path}`
  return (
    <Dialogue onClose={onClose} title="QR code">
      <p>Scanning it with a phone opens {opens}.</p>
      <img src={address} alt={`QR code of ${url}`} width={320} height={320} className="qr" />
      <p className="mono">{url}</p>
      <Group>
        <Button component="a" href={address} download={`${name}.svg`}>
          Save the picture
        </Button>
        <CopyButton text={url}>Copy the link</CopyButton>
      </Group>
    </Dialogue>
  )
}
