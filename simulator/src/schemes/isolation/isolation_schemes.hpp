// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// isolation_schemes.hpp: what isolation.cpp registers as FBICM, CCFIT, HFDI and EcoCC.
#pragma once

#include <memory>
#include <vector>

#include "engine/setup.hpp"
#include "schemes/isolation/isolation_parameters.hpp"
#include "schemes/registry.hpp"

namespace ccsim {

// The parameters of a scheme with these defaults, for documents.
std::vector<SchemeParameter> IsolationSchemeParameters(const IsolationParameters& defaults);

// The parameters that a model's choice stands for, in a fabric of so many hosts. Throws std::invalid_argument where they do not fit
// each other.
IsolationParameters IsolationOf(const SchemeChoice& choice, std::uint64_t hosts);

// Scheme::check.
void CheckIsolation(const SchemeChoice& choice);

// Scheme::port_memory: a buffer that all queues of the port share, and its CAM lines.
PortMemory IsolationPortMemory(const Fabric& fabric, const Model& model, unsigned outputs);

std::unique_ptr<EngineCore> MakeIsolation(const Setup& setup);

}  // namespace ccsim
