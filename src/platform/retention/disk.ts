import { statfs } from 'node:fs/promises'

export type Disk = { freeBytes: number; totalBytes: number; isAlmostFull: boolean }

const LEAST_FREE_SHARE = 0.1
const LEAST_FREE_BYTES = 1024 ** 3

/** Reads the disk that a folder is on. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bsize, bavail, blocks } = await statfs(folder)
  const space = { freeBytes: bsize * bavail, totalBytes: bsize * blocks }
  return { ...space, isAlmostFull: isAlmostFull(space) }
}

/** Full enough to look for another disk. */
export function isAlmostFull({ freeBytes, totalBytes }: Omit<Disk, 'isAlmostFull'>): boolean {
  return freeBytes < LEAST_FREE_BYTES || freeBytes < totalBytes * LEAST_FREE_SHARE
}
