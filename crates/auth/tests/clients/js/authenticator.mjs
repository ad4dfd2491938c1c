// An authenticator in software: it does what a browser with a security key does.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const base64url = (bytes) => Buffer.from(bytes).toString('base64url');

/** A head of CBOR: the kind of the item, and its number or length, below 65536. */
function head(kind, number) {
  if (number < 24) return Buffer.from([(kind << 5) | number]);
  if (number < 256) return Buffer.from([(kind << 5) | 24, number]);
  return Buffer.from([(kind << 5) | 25, number >> 8, number & 255]);
}

function cbor(value) {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)]);
  return Buffer.concat([head(5, value.size), ...members]);
}

export class Authenticator {
  #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  #id = randomBytes(32);
  #counter = 0;
  #userHandle = null;

  constructor(origin = 'http://localhost:5173', domain = 'localhost') {
    this.origin = origin;
    this.domain = domain;
  }

  /** Answers `navigator.credentials.create()`; the options are those in JSON. */
  create({ challenge, user }) {
    this.#userHandle = user.id;
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((it) => Buffer.from(it, 'base64url'));
    const key = new Map([[1, 2], [3, -7], [-1, 1], [-2, coordinates[0]], [-3, coordinates[1]]]);
    const authData = Buffer.concat([
      this.#data(0x45),
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      cbor(key),
    ]);
    const object = new Map([['fmt', 'none'], ['attStmt', new Map()], ['authData', authData]]);
    return this.#credential({
      attestationObject: base64url(cbor(object)),
      clientDataJSON: base64url(this.#clientData('webauthn.create', challenge)),
    });
  }

  /** Answers `navigator.credentials.get()`. */
  get({ challenge }) {
    const authenticatorData = this.#data(0x05);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    return this.#credential({
      authenticatorData: base64url(authenticatorData),
      clientDataJSON: base64url(clientData),
      signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
      userHandle: this.#userHandle,
    });
  }

  #credential(response) {
    const id = base64url(this.#id);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type, challenge) {
    const data = { type, challenge, origin: this.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  #data(flags) {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(this.domain), Buffer.from([flags]), counter]);
  }
}

/** Options with bytes, as the client gives them to a browser, in JSON again. */
export function inJson(options) {
  const text = (bytes) => base64url(new Uint8Array(bytes));
  const user = options.user && { ...options.user, id: text(options.user.id) };
  return { ...options, challenge: text(options.challenge), user };
}
