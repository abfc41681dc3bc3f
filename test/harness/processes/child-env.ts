/** What a process under test gets of our own environment: how programs are found, and what was compiled before; no demo. */
export function bareEnv(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE, DEMO: 'off' }
}
