#pragma once

// The contract of the Files seam, as one parameterised suite that every implementation runs:
//
//   INSTANTIATE_TEST_SUITE_P(Posix, FilesContract, ::testing::Values(&NewPosixFixture));
//
// Include it in one file of a test.

#include "store/testing/directory_contract.h"
#include "store/testing/file_contract.h"
#include "store/testing/files_fixture.h"
#include "store/testing/mapping_contract.h"
