import { setFlagsFromString } from 'node:v8'

/**
 * Requests wait while garbage is collected, so a collection copies little at a time: a page of new objects of which a tenth
 * lives is kept as it is, and at most 1 MB of old ones are moved together (docs/adr/0084-collections-that-copy-little.md).
 */
export function keepCollectionsShort(): void {
  setFlagsFromString('--page-promotion-threshold=10')
  setFlagsFromString('--compaction-max-evacuated-bytes-mb=1')
}
