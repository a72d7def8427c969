/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "base/sha256.h"

#include <string.h>

#define BLOCK 64u
#define LENGTH_AT 56u /* in the last block */

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
	0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t value, unsigned bits)
{
	return value >> bits | value << (32u - bits);
}

static void take_block(struct ibcc_sha256 *hash)
{
	uint32_t words[64], s[8];

	for (unsigned i = 0; i < 16; i++)
		words[i] = (uint32_t)hash->block[4 * i] << 24 | (uint32_t)hash->block[4 * i + 1] << 16 |
			   (uint32_t)hash->block[4 * i + 2] << 8 | hash->block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		const uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + words[i - 7] +
			   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
	memcpy(s, hash->state, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		const uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + rounds[i] + words[i];
		const uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += first;
		s[0] = first + second;
	}
	for (unsigned i = 0; i < 8; i++)
		hash->state[i] += s[i];
}

void ibcc_sha256_begin(struct ibcc_sha256 *hash)
{
	*hash = (struct ibcc_sha256){
		.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void ibcc_sha256_add(struct ibcc_sha256 *hash, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	while (length) {
		const size_t at = hash->length % BLOCK, room = BLOCK - at, part = length < room ? length : room;

		memcpy(hash->block + at, from, part);
		hash->length += part;
		from += part;
		length -= part;
		if (part == room)
			take_block(hash);
	}
}

void ibcc_sha256_end(struct ibcc_sha256 *hash, uint8_t digest[IBCC_SHA256_BYTES])
{
	static const uint8_t padding[BLOCK] = {0x80};
	const uint64_t bits = 8 * hash->length;
	const size_t at = hash->length % BLOCK;
	uint8_t length[8];

	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	ibcc_sha256_add(hash, padding, at < LENGTH_AT ? LENGTH_AT - at : BLOCK + LENGTH_AT - at);
	ibcc_sha256_add(hash, length, sizeof(length));
	for (unsigned i = 0; i < IBCC_SHA256_BYTES; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
	explicit_bzero(hash, sizeof(*hash));
}

void ibcc_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length, uint8_t digest[IBCC_SHA256_BYTES])
{
	uint8_t pad[BLOCK] = {0};
	struct ibcc_sha256 hash;

	memcpy(pad, key, key_length < BLOCK ? key_length : BLOCK);
	for (unsigned i = 0; i < BLOCK; i++)
		pad[i] ^= 0x36;
	ibcc_sha256_begin(&hash);
	ibcc_sha256_add(&hash, pad, sizeof(pad));
	ibcc_sha256_add(&hash, bytes, length);
	ibcc_sha256_end(&hash, digest);
	for (unsigned i = 0; i < BLOCK; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	ibcc_sha256_begin(&hash);
	ibcc_sha256_add(&hash, pad, sizeof(pad));
	ibcc_sha256_add(&hash, digest, IBCC_SHA256_BYTES);
	ibcc_sha256_end(&hash, digest);
	explicit_bzero(pad, sizeof(pad));
}

const char *ibcc_sha256_text(char text[IBCC_SHA256_TEXT_BYTES], const uint8_t digest[IBCC_SHA256_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < IBCC_SHA256_BYTES; i++) {
		text[2 * i] = digits[digest[i] >> 4];
		text[2 * i + 1] = digits[digest[i] & 15];
	}
	text[2 * IBCC_SHA256_BYTES] = '\0';
	return text;
}
