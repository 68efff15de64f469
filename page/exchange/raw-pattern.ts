/** What somebody typed into a search field → a pattern that finds it in any case, each character as it is. */
export const toPattern = (text: string, flags = 'iu'): RegExp =>
  new RegExp(text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`), flags)
