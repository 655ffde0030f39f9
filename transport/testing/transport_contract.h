#pragma once

// The contract of the transport seam, as one parameterised suite that every transport runs:
//
//   INSTANTIATE_TEST_SUITE_P(Fake, TransportContract, ::testing::Values(&NewFakeRig));
//
// Include it in one file of a test. The parts:

#include "transport/testing/accept_contract.h"   // IWYU pragma: export
#include "transport/testing/random_contract.h"   // IWYU pragma: export
#include "transport/testing/receive_contract.h"  // IWYU pragma: export
#include "transport/testing/send_contract.h"     // IWYU pragma: export
#include "transport/testing/wait_contract.h"     // IWYU pragma: export
