/** 4 s, 3 min, 2 h, 5 d */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}

/** Counts from real time, not from the sandbox's clock. */
export function ago(iso: string): string {
  return `${formatSeconds(Math.max(0, (Date.now() - Date.parse(iso)) / 1_000))} ago`
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** 1.5 GiB */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1_024 && unit < UNITS.length - 1; unit++) value /= 1_024
  return `${Math.round(value * 10) / 10} ${UNITS[unit]}`
}
