/** What a person likes: colours, their name, sounds. Kept in this browser only. */
import { createStore, type Store } from './store.ts'

export type Theme = 'system' | 'light' | 'dark'

/** A store that survives the tab. */
export function createKept<T>(
  name: string,
  first: T,
  isRight: (value: unknown) => value is T,
): Store<T> {
  const store = createStore<T>(read(name, first, isRight))
  store.onChange(() => localStorage.setItem(`sluice-${name}`, JSON.stringify(store.get())))
  return store
}

function read<T>(name: string, first: T, isRight: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`sluice-${name}`) ?? 'null')
    return isRight(value) ? value : first
  } catch {
    return first
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
export const isYesOrNo = (value: unknown): value is boolean => typeof value === 'boolean'

export const theme = createKept<Theme>(
  'theme',
  'system',
  (value): value is Theme => value === 'system' || value === 'light' || value === 'dark',
)
/** Who decides, as it is recorded with a decision. */
export const personName = createKept('name', '', isText)

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

export const isDark = createStore(false)

/** Puts the chosen colours on the page, now and whenever the choice or the system changes. */
export function followTheme(): void {
  const apply = (): void => {
    const chosen = theme.get()
    const dark = chosen === 'system' ? prefersDark.matches : chosen === 'dark'
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
    isDark.set(dark)
  }
  theme.onChange(apply)
  prefersDark.addEventListener('change', apply)
  apply()
}
