/**
 * A text as a URI, which it is but for characters that no URI has (RFC 3986, section 2); what is percent-encoded stays. For
 * header fields too: these hold no letters beyond ASCII.
 */
export const uriOf = (text: string) =>
  text.toWellFormed().replace(/[^!#-;=?-Z[\]_a-z~]/gu, one => encodeURIComponent(one))
